/** A module hook that takes the types out of TypeScript files, for versions of Node that do not do it themselves. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import typescript from 'typescript';

const compilerOptions = {
  target: typescript.ScriptTarget.ES2023,
  module: typescript.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
};

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const fileName = fileURLToPath(url);
  const { outputText } = typescript.transpileModule(await readFile(fileName, 'utf8'), { fileName, compilerOptions });
  return { format: 'module', source: outputText, shortCircuit: true };
}
