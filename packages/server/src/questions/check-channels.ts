/**
 * Checks what an ask requires of its own server and tool, whoever the client is: an ask that no channel can ever put, or a
 * fallback that can never be used, fails the first time a test reaches it, instead of being reported as something the client
 * lacks.
 */
import { MidcallError } from '@midcall/core/errors';
import { type Assurance, assures, type Channel, type Form } from '@midcall/core/form';
import type { CallRequest, UrlAsk } from '../request/index.ts';
import { channels } from './all.ts';
import { type AskChannel, type Asking, type FormAsk, isOn, type ServerChannels } from './channel.ts';
import { noPages } from './page/plan.ts';

type Asked = Pick<CallRequest, 'registered' | 'name'>;

const setup = (message: string): MidcallError => new MidcallError('server/setup', message);

/** @throws MidcallError `server/setup` if the ask names only channels that can never put it */
export function checkChannels(ask: Asking['ask'], { registered, name }: Asked, server: ServerChannels): void {
  refuseUnless(ask.channels, name, server, channel => channel.whyNever?.({ ask, registered, name }));
}

/** @throws MidcallError `server/setup` if the server has no pages, or the ask names only channels that can never show one */
export function checkPageChannels(ask: UrlAsk<unknown>, name: string, server: ServerChannels): void {
  if (server.channels.length === 0) return;
  if (!server.pages) throw setup(`'${name}' asks on a page, but ${noPages}.`);
  refuseUnless(ask.channels, name, server, channel => channel.noPages);
}

function refuseUnless(
  named: readonly Channel[] = [],
  name: string,
  server: ServerChannels,
  whyNever: (channel: AskChannel) => string | undefined,
): void {
  // If the server has no channel at all, nobody can be asked; that is not this ask's mistake.
  if (named.length === 0 || server.channels.length === 0) return;
  const reasons = channels
    .filter(channel => named.includes(channel.name))
    .map(
      channel =>
        channel.lacks?.(server) ??
        whyNever(channel) ??
        (isOn(channel, named, server) ? undefined : switchOn(channel.name, server)),
    );
  if (reasons.includes(undefined)) return;
  const listed = named.map(each => `'${each}'`).join(', ');
  throw setup(`'${name}' asks by channels: [${listed}], but ${[...new Set(reasons)].join(', and ')}.`);
}

/**
 * @throws MidcallError `server/setup` for a fallback in a tool that may be destructive, with an assurance that no fallback has,
 *   or that does not fit its form
 */
export async function checkFallback<T>(
  { fallback, assurance }: Pick<FormAsk<T>, 'fallback' | 'assurance'>,
  { registered, name }: Asked,
  compiled: Form<T>,
): Promise<void> {
  if (fallback === undefined) return;
  if (!registered.mayFallBack) {
    throw setup(
      `'${name}' gives a fallback for a question, but may be destructive: declare readOnlyHint: true or ` +
        'destructiveHint: false, or leave the fallback out.',
    );
  }
  if (weaker('relayed', assurance)) {
    throw setup(
      `'${name}' gives a fallback for a question that demands '${assurance}', which a fallback never has: leave one of the ` +
        'two out.',
    );
  }
  // A library may transform content to another type.
  if (compiled.library) return;
  const fits = (await compiled.check(fallback)).ok || (await compiled.check({ value: fallback })).ok;
  if (!fits) throw setup(`'${name}' gives a fallback that does not fit the form of its question.`);
}

const switchOn = (channel: Channel, server: ServerChannels): string =>
  `'${channel}' is switched off: midcall({ channels: [${[...server.channels, channel].map(each => `'${each}'`).join(', ')}] }) ` +
  'switches it on';
const weaker = (level: Assurance, demanded: Assurance | undefined): boolean =>
  demanded !== undefined && !assures(level, demanded);
