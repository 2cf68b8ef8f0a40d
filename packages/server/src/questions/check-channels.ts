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

/** @throws MidcallError `server/setup` if the ask needs an inbox and none can take it, or names only channels that can never put it */
export function checkChannels(ask: Asking['ask'], { registered, name }: Asked, server: ServerChannels): void {
  checkInbox(ask, { registered, name }, server);
  refuseUnless(ask.channels, name, server, channel => channel.whyNever?.({ ask, registered, name }));
}

/** @throws MidcallError `server/setup` if the server has no pages, or the ask names only channels that can never show one */
export function checkPageChannels(ask: UrlAsk<unknown>, name: string, server: ServerChannels): void {
  if (server.channels.length === 0) return;
  if (!server.pages) throw setup(`'${name}' asks on a page, but ${noPages}.`);
  refuseUnless(ask.channels, name, server, channel => channel.noPages);
}

/** An ask that only an inbox can take is never put on another channel, so its own mistakes are not those of the client. */
function checkInbox(ask: Asking['ask'], asked: Asked, server: ServerChannels): void {
  const what = ask.from ? 'asks others than the requester' : ask.assurance === 'present' && "demands 'present'";
  if (!what || server.channels.length === 0) return;
  const named = ask.channels?.map(each => `'${each}'`).join(', ');
  const reasons = channels
    .filter(({ inInbox }) => inInbox)
    .map(channel => {
      const why = channel.lacks?.(server) ?? channel.whyNever?.({ ask, ...asked });
      if (why !== undefined || isOn(channel, ask.channels, server)) return why;
      return named === undefined
        ? switchOn(channel.name, server)
        : `by channels: [${named}], and none of them does: add '${channel.name}', or leave them out`;
    });
  if (!reasons.includes(undefined)) throw setup(`'${asked.name}' ${what}, but ${reasons.join(', and ')}.`);
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
 * @throws MidcallError `server/setup` for a fallback in a tool that may be destructive, of a question to others, with an assurance
 *   that no fallback has, or that does not fit its form
 */
export async function checkFallback<T>(
  { fallback, assurance, from }: Pick<FormAsk<T>, 'fallback' | 'assurance' | 'from'>,
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
  if (from) {
    throw setup(
      `'${name}' gives a fallback for a question to others than the requester, for whom nothing stands in: leave one of the two ` +
        'out.',
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
