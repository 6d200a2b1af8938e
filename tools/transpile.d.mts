export function transpile(root: string, folders: readonly string[]): Map<string, string>;
export function transpileFile(fileName: string, text: string): string;
export function writeModules(directory: string, files: ReadonlyMap<string, string>): void;
