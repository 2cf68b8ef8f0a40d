/**
 * Which channel a question takes: the first that is switched on, can give the assurance that is demanded, and reaches the
 * person. Asking on a channel whose answer could not count would only waste the person's time.
 */
import { assures, type Channel } from '@midcall/core/form';
import { channels } from './all.ts';
import { type AskChannel, type ChannelCall, type FormQuestion, isOn } from './channel.ts';

/** @returns undefined if no channel can give an answer that counts */
export function ladder(question: FormQuestion, call: ChannelCall): AskChannel | undefined {
  const { before } = question;
  const left = before ? channels.slice(channels.findIndex(each => each.name === before.channel) + 1) : channels;
  return left.find(channel => wouldCount(channel, question, call) && channel.reaches(question, call));
}

/** True if an answer of this channel would count, provided that it reaches the person. */
export const wouldCount = (channel: AskChannel, question: FormQuestion, call: ChannelCall): boolean =>
  isOn(channel, question.ask.channels, call.config) &&
  (question.ask.from === undefined || channel.inInbox === true) &&
  (question.ask.details === undefined || channel.showsDetails === true) &&
  isEnough(channel, question, call);

const isEnough = (channel: AskChannel, question: FormQuestion, call: ChannelCall): boolean =>
  question.ask.assurance === undefined || assures(channel.assurance(question, call), question.ask.assurance);

/** True if answers that come by this channel are the host's, which may give them by itself. */
export const isByHost = (name: Channel): boolean =>
  channels.some(channel => channel.name === name && channel.byHost === true);

/** The name of the tool by which answers of a channel come back with their tickets; undefined if they do not. */
export const answeredBy = (name: Channel): string | undefined =>
  channels.find(channel => channel.name === name)?.answeredBy;
