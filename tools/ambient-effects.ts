import ts from 'typescript';

/** Globals that read the clock, draw random numbers or take turns of the event loop. */
const GLOBALS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'performance',
]);
const RANDOM = new Set([
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFillSync',
  'randomFill',
  'getRandomValues',
  'webcrypto',
]);
/** The same as members of other objects. */
const MEMBERS: Record<string, ReadonlySet<string>> = {
  Date: new Set(['now']),
  Math: new Set(['random']),
  process: new Set(['hrtime', 'nextTick', 'uptime']),
  crypto: RANDOM,
};
/** Modules that give them too: all of it (`*`), or the named exports. */
const MODULES: Record<string, '*' | ReadonlySet<string>> = {
  'node:timers': '*',
  'node:timers/promises': '*',
  'node:perf_hooks': '*',
  'node:crypto': RANDOM,
};

export interface AmbientEffect {
  /** 1 for the first. */
  line: number;
  what: string;
}

/**
 * The places where a source file touches clock, randomness or timers by itself instead of through its `Platform`. Reads
 * the syntax tree, so that comments, texts and members of the same name do not count.
 */
export function ambientEffectsIn(fileName: string, text: string): AmbientEffect[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found: AmbientEffect[] = [];
  const visit = (node: ts.Node): void => {
    const what = effectOf(node);
    if (what !== undefined) found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, what });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function effectOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node)) return importOf(node);
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const { expression, name } = node;
    if (MEMBERS[expression.text]?.has(name.text)) return `${expression.text}.${name.text}`;
  }
  if (ts.isVariableDeclaration(node)) return destructured(node);
  // With an argument it only converts.
  if (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && !node.arguments?.length) return 'new Date()';
  if (ts.isCallExpression(node) && isNamed(node.expression, 'Date')) return 'Date()';
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isReference(node)) return node.text;
  return undefined;
}

function importOf({ moduleSpecifier, importClause }: ts.ImportDeclaration): string | undefined {
  const module = (moduleSpecifier as ts.StringLiteral).text;
  const forbidden = MODULES[module];
  if (forbidden === undefined || importClause?.isTypeOnly) return undefined;
  if (forbidden === '*') return module;
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) {
    // The module as a whole, under the one name whose members are looked at.
    const name = importClause?.name ?? bindings?.name;
    return name?.text === 'crypto' ? undefined : module;
  }
  const names = bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
  const name = names.find((candidate) => forbidden.has(candidate));
  return name && `${name} of ${module}`;
}

/** `const { random } = Math` */
function destructured({ name, initializer }: ts.VariableDeclaration): string | undefined {
  if (initializer === undefined || !ts.isIdentifier(initializer) || !ts.isObjectBindingPattern(name)) return undefined;
  const forbidden = MEMBERS[initializer.text];
  const members = name.elements.map((element) => (element.propertyName ?? element.name).getText());
  const member = members.find((candidate) => forbidden?.has(candidate));
  return member && `${initializer.text}.${member}`;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** Whether the identifier is used as a value: not a member of something, a key, or a name that is being declared. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent)) {
    return parent.initializer === node;
  }
  return !ts.isTypeReferenceNode(parent) && !ts.isTypeElement(parent) && !ts.isClassElement(parent);
}
