import type { Channel } from '@midcall/core/form';
import type { AskChannel, ServerChannels } from './channel.ts';

/**
 * True if a channel may put a question.
 * @param named - the channels that the ask names, if any
 */
export function isOn(
  { name, onWhereNamed }: Pick<AskChannel, 'name' | 'onWhereNamed'>,
  named: readonly Channel[] | undefined,
  server: Pick<ServerChannels, 'channels'>,
): boolean {
  const byServer = server.channels.includes(name);
  return named ? named.includes(name) && (byServer || onWhereNamed) : byServer;
}
