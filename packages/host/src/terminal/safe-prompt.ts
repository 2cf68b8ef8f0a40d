/**
 * A text to be edited may contain anything: hidden characters are written out before it is shown, and if it was not edited, it
 * is returned unchanged to the letter. Pure.
 */
import { visible } from '../index.ts';
import type { TextPrompt } from './prompter.ts';

/** Longer texts are cut. */
const longest = 1_000_000;

/** A prompt that is safe to draw, and a function that maps its result back. */
export interface SafePrompt {
  readonly prompt: TextPrompt;
  readonly untouched: (text: string) => string;
}

/** @param lines - true keeps line breaks */
export function safePrompt(prompt: TextPrompt, lines: boolean): SafePrompt {
  const { initial, validate } = prompt;
  if (initial === undefined) return { prompt, untouched: text => text };
  const safeText = visible(initial, { lines, max: longest });
  const untouched = (text: string): string => (text === safeText ? initial : text);
  return { prompt: { ...prompt, initial: safeText, validate: text => validate(untouched(text)) }, untouched };
}
