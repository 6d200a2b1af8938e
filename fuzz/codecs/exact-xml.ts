import { createRequire } from 'node:module';
import type { ModelShape } from './query-model.ts';

/**
 * A client's view of a reply in XML to the last character. The reader of the AWS SDK v2 takes a text of nothing but white
 * space for an empty one; the parser under it, used here directly, does not.
 */

interface SaxParser {
  onopentag(node: { name: string }): void;
  ontext(text: string): void;
  onclosetag(): void;
  onerror(error: Error): void;
  write(text: string): SaxParser;
  close(): void;
}

/** It is a dependency of a dependency of the SDK, wherever that has been installed. */
const xml2js = createRequire(createRequire(import.meta.url).resolve('aws-sdk')).resolve('xml2js');
const sax = createRequire(xml2js)('sax') as { parser(strict: boolean, options: object): SaxParser };

interface Element {
  name: string;
  children: Element[];
  text: string;
}

function parse(xml: string): Element {
  const root: Element = { name: '', children: [], text: '' };
  const open = [root];
  const parser = sax.parser(true, { strictEntities: true });
  parser.onopentag = ({ name }) => {
    const element = { name, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  };
  parser.ontext = (text) => {
    open.at(-1)!.text += text;
  };
  parser.onclosetag = () => {
    open.pop();
  };
  parser.onerror = (error) => {
    throw error;
  };
  // A parser has to read each literal line end as one line feed; this one leaves that to its caller.
  parser.write(xml.replaceAll(/\r\n?/g, '\n')).close();
  return root.children[0]!;
}

export class ExactXmlReader {
  readonly #shapes: Record<string, ModelShape>;

  constructor(shapes: Record<string, ModelShape>) {
    this.#shapes = shapes;
  }

  output(action: string, shape: ModelShape | undefined, xml: string): Record<string, unknown> {
    const response = parse(xml);
    if (response.name !== `${action}Response`) throw new Error(`<${response.name}> answers ${action}`);
    const result = response.children.find(({ name }) => name === `${action}Result`);
    if ((result === undefined) !== (shape === undefined)) throw new Error(`no result, or too many: ${xml}`);
    return result === undefined ? {} : (this.#value(result, shape!) as Record<string, unknown>);
  }

  #value(element: Element, reference: ModelShape): unknown {
    const shape = this.#resolve(reference);
    switch (shape.type) {
      case 'structure':
        return this.#structure(element, shape);
      case 'blob':
        return Buffer.from(element.text, 'base64');
      case 'integer':
      case 'long':
        return Number(element.text);
      case 'boolean':
        return element.text === 'true';
      default:
        return element.text;
    }
  }

  #structure(element: Element, shape: ModelShape): Record<string, unknown> {
    const structure: Record<string, unknown> = {};
    const known = new Set<string>();
    for (const [name, reference] of Object.entries(shape.members ?? {})) {
      const member = this.#resolve(reference);
      const elementName = (member.type === 'list' ? member.member?.locationName : member.locationName) ?? name;
      known.add(elementName);
      const found = element.children.filter((child) => child.name === elementName);
      if (found.length === 0) continue;
      if (member.type === 'list') structure[name] = found.map((child) => this.#value(child, member.member!));
      else if (member.type === 'map')
        structure[name] = Object.fromEntries(found.map((child) => this.#entry(child, member)));
      else if (found.length === 1) structure[name] = this.#value(found[0]!, member);
      else throw new Error(`<${elementName}> stands there ${found.length} times`);
    }
    const stranger = element.children.find(({ name }) => !known.has(name));
    if (stranger !== undefined) throw new Error(`<${stranger.name}> does not belong into <${element.name}>`);
    return structure;
  }

  #entry(element: Element, { key, value }: ModelShape): [string, unknown] {
    const [first, second, ...more] = element.children;
    if (first?.name !== key?.locationName || second?.name !== 'Value' || more.length > 0) {
      throw new Error(`<${element.name}> is no entry of a map`);
    }
    return [first!.text, this.#value(second, value!)];
  }

  #resolve(shape: ModelShape): ModelShape {
    return shape.shape === undefined ? shape : { ...this.#shapes[shape.shape], ...shape, shape: undefined };
  }
}
