/** What a tool says to the model while the person has its question on a card. Pure. */
import { visible } from '@midcall/core/text';
import { quoted } from '../quoted.ts';

/** @param again - what the same call gives if it is made again, for a host that shows no card */
export function cardText(message: string, tool: string, again: 'link' | 'elsewhere' | 'nothing'): string {
  const name = visible(tool, { max: 200 });
  return [
    `Nothing has been done yet: '${name}' waits for the person, who sees this question as a form beside this result:`,
    '',
    ...quoted(message),
    '',
    'Wait for them. Do not answer for them, and do not say that it is done: the form sends their answer by itself, the call goes on ' +
      'from there, and its outcome is told to you.',
    unseen(name)[again],
  ].join('\n');
}

const unseen = (name: string) => ({
  link: `If they see no form, call '${name}' again with the same arguments after 20 seconds: you then get a link for them.`,
  elsewhere: `If they see no form, call '${name}' again with the same arguments: they are then asked elsewhere.`,
  nothing: 'If they see no form, this app cannot show it: tell them that nothing was done.',
});
