import { visible } from '../text/visible.ts';
import { MidcallError } from './errors.ts';

const visibleName = (name: string): string => visible(name, { max: 60 });

/**
 * The error for a tool that a person named and the server does not have.
 * @param tools - the tools it has
 */
export function noSuchTool(name: string, tools: readonly { readonly name: string }[]): MidcallError {
  const has = tools.map(tool => visibleName(tool.name)).join(', ') || 'none';
  return new MidcallError('cli/usage', `The server has no tool '${visibleName(name)}'. It has: ${has}.`);
}
