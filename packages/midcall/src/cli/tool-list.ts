/** The tools of a server: as lines, and as a list to choose from. */
import { own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { Catalogue } from '@midcall/host';
import type { Terminal } from '@midcall/host/terminal';

type Tools = Catalogue['tools'];

/** The most characters of a tool's description. */
const mostAbout = 70;

/** A tool's description on one line; empty if its server gives none. */
function about({ title, description }: Tools[number]): string {
  const [first = ''] = (description ?? title ?? '').trim().split('\n');
  return visible(first.length <= mostAbout ? first : `${first.slice(0, mostAbout).replace(/(?<!\s)\s+\S*$/, '')} …`);
}

/** One line for each tool: its name, its required arguments, and what it is for. */
export function toolLines(tools: Tools): string {
  if (tools.length === 0) return 'The server has no tools.\n';
  const rows = tools.map(tool => ({
    call: [visible(tool.name, { max: 100 }), ...requiredNames(tool)].join(' '),
    tool,
  }));
  const width = rows.reduce((most, { call }) => Math.min(Math.max(most, call.length), 50), 0);
  return rows.map(({ call, tool }) => `${`${call.padEnd(width)}  ${about(tool)}`.trimEnd()}\n`).join('');
}

const requiredNames = ({ inputSchema }: Tools[number]): readonly string[] => {
  const required = own(inputSchema, 'required');
  return (Array.isArray(required) ? required : []).map(name => `${visible(String(name), { max: 60 })}=…`);
};

/** @returns the name of the tool that the person chose; undefined if they chose none */
export function chooseTool(terminal: Terminal, tools: Tools): Promise<string | undefined> {
  return terminal.choose({
    message: 'Which tool?',
    choices: tools.map(tool => {
      const hint = about(tool);
      return { value: tool.name, label: tool.name, ...(hint !== '' && { hint }) };
    }),
  });
}
