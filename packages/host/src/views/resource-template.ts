/** A server's URI template (RFC 6570) as a form to fill in. Templates are untrusted: an unreadable one is ignored. */
import { UriTemplate } from '@modelcontextprotocol/client';

function read(template: string): UriTemplate | undefined {
  try {
    return new UriTemplate(template);
  } catch {
    return undefined;
  }
}

/** The variables of a template, each once; undefined if it cannot be parsed. */
export function templateNames(template: string): readonly string[] | undefined {
  const names = read(template)?.variableNames;
  return names && [...new Set(names)];
}

/** The URI that a template gives with these values; variables without a value are left out. */
export function expandTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
  return read(template)?.expand(Object.fromEntries(entries)) ?? template;
}
