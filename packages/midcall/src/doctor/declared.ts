/** A client's name and what it declares, in words. Foreign text is made visible. Pure. */
import { isRecord, own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';

const memberWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  roots: { listChanged: 'announcing changes' },
  sampling: { tools: 'with tools', context: 'with context' },
};

/** Ordered: what a server can ask for comes first. */
const first: readonly string[] = ['elicitation', 'roots', 'sampling'];

/** @param capabilities - as the client sent them */
export function inWords(capabilities: unknown): readonly string[] {
  if (!isRecord(capabilities)) return [];
  const others = Object.keys(capabilities).filter(name => !first.includes(name));
  return [...first.filter(name => own(capabilities, name) !== undefined), ...others.slice(0, 20)].flatMap(name =>
    name === 'elicitation'
      ? elicitation(capabilities[name])
      : name === 'extensions'
        ? extensions(capabilities[name])
        : [spelled(name, capabilities[name])],
  );
}

/** An empty object means forms only (client/elicitation, "Capabilities"). */
function elicitation(declared: unknown): readonly string[] {
  const [form, url] = [own(declared, 'form') !== undefined, own(declared, 'url') !== undefined];
  return [...(form || !url ? ['forms'] : []), ...(url ? ['pages (URL mode)'] : [])];
}

/** Extensions of the protocol by the last part of their names, others by their whole names. */
function extensions(declared: unknown): readonly string[] {
  const names = isRecord(declared) ? Object.keys(declared).slice(0, 20) : [];
  return names.map(name => visible(name.replace(/^io\.modelcontextprotocol\//, ''), { max: 60 }));
}

function spelled(name: string, declared: unknown): string {
  const parts = Object.entries(own(memberWords, name) ?? {}).filter(
    ([part]) => own(declared, part) !== undefined && own(declared, part) !== false,
  );
  return [visible(name, { max: 60 }), ...parts.map(([, words]) => words as string)].join(', ');
}

/** True if the client declares that it announces changes to its roots. */
export const announcesRoots = (capabilities: unknown): boolean =>
  own(own(capabilities, 'roots'), 'listChanged') === true;
