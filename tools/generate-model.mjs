/**
 * Writes src/protocol/model/shapes.ts from the SQS model inside the `aws-sdk` package (API version 2012-11-05).
 *
 *   node tools/generate-model.mjs            writes the file
 *   node tools/generate-model.mjs --print    prints it instead; a test compares that with the committed file
 *
 * Plain JavaScript, because Node 20 does not run TypeScript and the build must not depend on this tool.
 *
 * The minified model knows only AWS JSON: names of structures and names in AWS Query are gone from it. Nearly all follow
 * a rule; the tables below hold the rest (SQS: section 1.4). A member that no rule and no table covers stops the tool.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const target = fileURLToPath(new URL('../src/protocol/model/shapes.ts', import.meta.url));
const modelPath = createRequire(import.meta.url).resolve('aws-sdk/apis/sqs-2012-11-05.min.json');

/** JSON member -> AWS Query prefix, for lists of scalars and for maps. */
const QUERY_NAMES = {
  AWSAccountIds: 'AWSAccountId',
  Actions: 'ActionName',
  AttributeNames: 'AttributeName',
  Attributes: 'Attribute',
  BinaryListValues: 'BinaryListValue',
  MessageAttributeNames: 'MessageAttributeName',
  MessageAttributes: 'MessageAttribute',
  MessageSystemAttributeNames: 'AttributeName',
  MessageSystemAttributes: 'MessageSystemAttribute',
  QueueUrls: 'QueueUrl',
  queueUrls: 'QueueUrl',
  StringListValues: 'StringListValue',
  TagKeys: 'TagKey',
  Tags: 'Tag',
  tags: 'Tag',
};

/** JSON member -> name of the structure that its list or map holds; `*` stands for the action. */
const ELEMENT_NAMES = {
  Entries: '*RequestEntry',
  Failed: 'BatchResultErrorEntry',
  MessageAttributes: 'MessageAttributeValue',
  Messages: 'Message',
  MessageSystemAttributes: 'MessageSystemAttributeValue',
  Results: '*ResultEntry',
  Successful: '*ResultEntry',
};

/** Where SQS writes elements in another order than the model lists them, those that come first. */
const LEADING_MEMBERS = {
  Message: ['MessageId', 'ReceiptHandle', 'MD5OfBody', 'Body', 'Attributes', 'MessageAttributes'],
  SendMessageResult: ['MessageId'],
};

const TYPESCRIPT_SCALARS = {
  string: 'string',
  integer: 'number',
  long: 'number',
  boolean: 'boolean',
  blob: 'Uint8Array',
};

function generate(model) {
  /** Name -> text of interface and data, in order of first use, so that data refers only to what stands above it. */
  const structures = new Map();

  function lookUp(shape) {
    return shape.shape === undefined ? shape : { ...model.shapes[shape.shape], ...shape };
  }

  function structure(name, shape, isInput) {
    if (structures.has(name)) return;
    const leading = LEADING_MEMBERS[name] ?? [];
    const names = [...leading, ...Object.keys(shape.members).filter((member) => !leading.includes(member))];
    const members = names.map((member) => {
      const described = describe(member, lookUp(shape.members[member]), name, isInput);
      return { ...described, member, required: shape.required?.includes(member) === true };
    });
    structures.set(name, { members, isInput });
  }

  function describe(member, shape, owner, isInput) {
    const kind = shape.type ?? 'string';
    if (kind in TYPESCRIPT_SCALARS) {
      return { type: TYPESCRIPT_SCALARS[kind], data: kind, queryName: member };
    }
    if (shape.flattened !== true) throw new Error(`${owner}.${member} is not flattened`);
    const item = lookUp(kind === 'list' ? shape.member : shape.value);
    const element = elementOf(member, item, owner, isInput);
    if (kind === 'list') {
      const queryName = item.type === 'structure' ? element.type : queryNameOf(member, owner);
      return { type: `${element.type}[]`, data: `{ type: 'list', member: ${element.data} }`, queryName };
    }
    const queryKey = /^tags$/i.test(member) ? 'Key' : 'Name';
    return {
      type: `Record<string, ${element.type}>`,
      data: `{ type: 'map', value: ${element.data}, queryKey: '${queryKey}' }`,
      queryName: queryNameOf(member, owner),
    };
  }

  function elementOf(member, item, owner, isInput) {
    if (item.type !== 'structure') {
      const kind = item.type ?? 'string';
      return { type: TYPESCRIPT_SCALARS[kind], data: kind };
    }
    const pattern = ELEMENT_NAMES[member];
    if (pattern === undefined) throw new Error(`no name known for the structures in ${owner}.${member}`);
    const name = pattern.replace('*', owner.replace(/(Request|Result)$/, ''));
    structure(name, item, isInput);
    return { type: name, data: constantName(name) };
  }

  const actions = Object.entries(model.operations).map(([name, { input, output }]) => {
    structure(`${name}Request`, lookUp(input), true);
    return { name, output };
  });
  // After all inputs: a structure that both directions use has only optional members.
  for (const { name, output } of actions) {
    if (output !== undefined) structure(`${name}Result`, lookUp(output), false);
  }
  return render(actions, structures);
}

function queryNameOf(member, owner) {
  const name = QUERY_NAMES[member];
  if (name === undefined) throw new Error(`no AWS Query name known for ${owner}.${member}`);
  return name;
}

function constantName(structureName) {
  return structureName[0].toLowerCase() + structureName.slice(1);
}

function render(actions, structures) {
  const lines = [
    '// Generated by tools/generate-model.mjs from the SQS model of the aws-sdk package. Do not edit.',
    '',
    "import type { ActionShape, ScalarShape, StructureShape } from './shape.ts';",
    '',
    '// Members of inputs are all optional here: that one is missing is for the action to say, in the words of SQS.',
  ];
  for (const [name, { members, isInput }] of structures) {
    lines.push('', `export interface ${name} {`);
    for (const { member, type, required } of members) {
      lines.push(`  ${member}${required && !isInput ? '' : '?'}: ${type};`);
    }
    lines.push('}');
  }
  lines.push('', 'export interface ActionInputs {');
  for (const { name } of actions) lines.push(`  ${name}: ${name}Request;`);
  lines.push('}', '', 'export interface ActionOutputs {');
  for (const { name, output } of actions)
    lines.push(`  ${name}: ${output === undefined ? 'undefined' : `${name}Result`};`);
  lines.push('}', '', 'export type ActionName = keyof ActionInputs;');

  for (const kind of Object.keys(TYPESCRIPT_SCALARS)) {
    lines.push('', `const ${kind}: ScalarShape = { type: '${kind}' };`);
  }
  for (const [name, { members }] of structures) {
    lines.push('', `const ${constantName(name)}: StructureShape = {`, "  type: 'structure',", `  name: '${name}',`);
    lines.push('  members: {');
    for (const { member, data, queryName, required } of members) {
      const fields = [`shape: ${data},`, `queryName: '${queryName}',`, `required: ${required},`];
      // One line, or one line per field when that is too long: what the formatter would do.
      const line = `    ${member}: { ${fields.join(' ').slice(0, -1)} },`;
      if (line.length <= 120) lines.push(line);
      else lines.push(`    ${member}: {`, ...fields.map((field) => `      ${field}`), '    },');
    }
    lines.push('  },', '};');
  }
  lines.push('', 'export const ACTIONS: Readonly<Record<ActionName, ActionShape>> = {');
  for (const { name, output } of actions) {
    const input = `input: ${constantName(`${name}Request`)}`;
    const result = output === undefined ? '' : `, output: ${constantName(`${name}Result`)}`;
    const line = `  ${name}: { ${input}${result} },`;
    if (line.length <= 120) lines.push(line);
    else lines.push(`  ${name}: {`, `    ${input},`, `    ${result.slice(2)},`, '  },');
  }
  lines.push('};', '');
  return lines.join('\n');
}

const text = generate(JSON.parse(readFileSync(modelPath, 'utf8')));
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(target, text);
