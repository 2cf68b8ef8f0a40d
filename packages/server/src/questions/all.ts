/** The channels, in the order in which they are tried. */

import { card } from './card/card.ts';
import type { AskChannel } from './channel.ts';
import { native } from './native/native.ts';
import { page } from './page/page.ts';
import { relay } from './relay/relay.ts';

export const channels: readonly AskChannel[] = [native, card, page, relay];
