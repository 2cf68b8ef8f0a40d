import type { Channel } from '@midcall/core/form';
import { channels } from './all.ts';

/** The name of the tool by which answers of a channel come back with their tickets; undefined if they do not. */
export const answeredBy = (name: Channel): string | undefined =>
  channels.find(channel => channel.name === name)?.answeredBy;
