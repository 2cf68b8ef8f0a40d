/**
 * Lets Node run TypeScript: `node --import ./scripts/load-typescript.mjs FILE.ts`. Takes the types out of each file, for
 * versions of Node that do not do it themselves. JavaScript, as something has to load the first file.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Hooks run in a thread of their own, which loads this file as well.
if (isMainThread && !process.features.typescript) register(import.meta.url);

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { default: typescript } = await import('typescript');
  const compilerOptions = {
    target: typescript.ScriptTarget.ES2023,
    module: typescript.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  };
  const fileName = fileURLToPath(url);
  const { outputText } = typescript.transpileModule(readFileSync(fileName, 'utf8'), { fileName, compilerOptions });
  return { format: 'module', source: outputText, shortCircuit: true };
}
