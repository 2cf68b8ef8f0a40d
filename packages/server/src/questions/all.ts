/** The channels, in the order in which they are tried. */

import type { Journal } from '../engine/index.ts';
import type { Config } from '../request/index.ts';
import { approvers } from './approvers/approvers.ts';
import { card } from './card/card.ts';
import type { AskChannel } from './channel.ts';
import { native } from './native/native.ts';
import { page } from './page/page.ts';
import { relay } from './relay/relay.ts';

export const channels: readonly AskChannel[] = [native, card, page, approvers, relay];

/** Withdraws the questions of a call that is over, by its journal. Never rejects. */
export async function withdrawOpen(journal: Journal, config: Config): Promise<void> {
  await Promise.all(channels.map(channel => channel.withdraw?.(journal, config)));
}
