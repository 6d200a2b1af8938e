import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  inlineSourceMap: true,
};

/**
 * TypeScript to JavaScript, file by file and without a look at the types: what Node 20 needs to run it. Returns the files
 * by their path below `root`. Tests are left out.
 */
export function transpile(root, folders) {
  const files = new Map();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true })) {
      const path = join(folder, entry);
      if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
      files.set(path.replace(/\.ts$/, '.js'), transpileFile(path, readFileSync(join(root, path), 'utf8')));
    }
  }
  return files;
}

export function transpileFile(fileName, text) {
  return ts.transpileModule(text, { fileName, compilerOptions: OPTIONS }).outputText;
}

/** Writes files to where Node takes them for modules. */
export function writeModules(directory, files) {
  const folders = new Set([...files.keys()].map((path) => join(directory, dirname(path))));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  for (const [path, text] of files) writeFileSync(join(directory, path), text);
}
