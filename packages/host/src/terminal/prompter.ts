/** What a dialog needs of a terminal, whether it draws or speaks line by line. */

/**
 * What a person gave; or nothing, because they pressed Ctrl-C or Esc, or the input ended. Then `typed` is what stood there,
 * which may break every rule: it is never an answer, only put back where the same is asked again.
 */
export type PromptResult<T> = { readonly given: true; readonly value: T } | NotGiven<T>;

export interface NotGiven<T = never> {
  readonly given: false;
  readonly typed?: T;
  /** True where the person pressed a key that goes to the field before. */
  readonly toFieldBefore?: true;
}

export const notGiven: NotGiven = { given: false };

/** One thing to pick. */
export interface Pick {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

interface Prompt {
  readonly message: string;
  /** Ends the prompt, as if nothing were given. */
  readonly signal: AbortSignal;
  /** What the field before is called, if there is one: a terminal that draws has keys that go there. */
  readonly fieldBefore?: string;
}

export interface TextPrompt extends Prompt {
  /** Stands there to be changed. */
  readonly initial?: string;
  /** What was given here before, newest first; the Up key brings it. */
  readonly earlier?: readonly string[];
  /** What is wrong with a text, or undefined. */
  readonly validate: (text: string) => string | undefined;
}

/** A secret stands nowhere to be changed: it is typed anew. */
export type SecretPrompt = Omit<TextPrompt, 'initial' | 'earlier'>;

export interface ChoicePrompt extends Prompt {
  readonly picks: readonly Pick[];
  /** Where the cursor stands; nothing is chosen before Enter. */
  readonly initial?: string;
  /** True where Enter alone chooses nothing, as long as the person has not moved. */
  readonly unchosen?: boolean;
}

export interface ManyPrompt extends Prompt {
  readonly picks: readonly Pick[];
  readonly initial: readonly string[];
  readonly validate: (values: readonly string[]) => string | undefined;
}

/** Asks for one thing at a time. Every text it is given is safe to draw. */
export interface Prompter {
  say(lines: readonly string[]): void;
  text(prompt: TextPrompt): Promise<PromptResult<string>>;
  /** One line that is not shown while it is typed. */
  secret(prompt: SecretPrompt): Promise<PromptResult<string>>;
  /** A text that may have several lines. */
  lines(prompt: TextPrompt): Promise<PromptResult<string>>;
  choose(prompt: ChoicePrompt): Promise<PromptResult<string>>;
  chooseMany(prompt: ManyPrompt): Promise<PromptResult<readonly string[]>>;
  /** True once a prompt was given nothing because the input has ended. */
  readonly starved: boolean;
  close(): void;
}
