/**
 * Lets Node run the TypeScript of `conformance/`, and lets the official suite's command start on Node 20, whose `fs` has
 * no `globSync`: its one use there is for a command that is not ours. For `node --import`.
 */
import { register } from 'node:module';

const hooks = `
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const fs = 'data:text/javascript,' + encodeURIComponent(
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => { throw new Error('globSync needs Node 22'); };"
);
export async function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('@modelcontextprotocol/conformance/'))
    return { url: fs, shortCircuit: true };
  return next(specifier, context);
}
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { default: ts } = await import('${import.meta.resolve('typescript')}');
  const { ModuleKind, ScriptTarget } = ts;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(url), 'utf8'), { compilerOptions });
  return { format: 'module', source: outputText, shortCircuit: true };
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
