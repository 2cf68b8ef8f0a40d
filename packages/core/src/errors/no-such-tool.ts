import { visible } from '../text/index.ts';
import { MidcallError } from './errors.ts';

const visibleName = (name: string): string => visible(name, { max: 60 });

/** The most tools that an error lists. */
const mostNamed = 50;

/**
 * The error for a tool that a person named and the server does not have.
 * @param tools - the tools it has
 */
export function noSuchTool(name: string, tools: readonly { readonly name: string }[]): MidcallError {
  const named = tools.slice(0, mostNamed).map(tool => visibleName(tool.name));
  const more = tools.length - named.length;
  const has = [...named, ...(more > 0 ? [`${more.toLocaleString('en')} more`] : [])].join(', ') || 'none';
  return new MidcallError('cli/usage', `The server has no tool '${visibleName(name)}'. It has: ${has}.`);
}
