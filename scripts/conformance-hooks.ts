/**
 * Lets the official suite's command start on Node 20, whose `fs` has no `globSync`: its one use there is for a command
 * that is not ours. For `node --import`.
 */
import { register } from 'node:module';

const hooks = `
const fs = 'data:text/javascript,' + encodeURIComponent(
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => { throw new Error('globSync needs Node 22'); };"
);
export async function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('@modelcontextprotocol/conformance/'))
    return { url: fs, shortCircuit: true };
  return next(specifier, context);
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
