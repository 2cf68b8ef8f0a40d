/** The subcommands: a line on what each does, and where it is. Only the one that runs is loaded. */
import type { Command } from 'commander';

export interface Subcommand {
  readonly name: string;
  readonly description: string;
  /** Loads the function that adds its arguments, options and action. */
  readonly load: () => Promise<{ readonly register: (command: Command) => void }>;
}

export const subcommands: readonly Subcommand[] = [
  {
    name: 'notes',
    description: 'serve Markdown notes; deletions can be undone, and you are asked if it is unclear what is meant',
    load: () => import('./notes.ts'),
  },
  {
    name: 'desk',
    description: 'open a page where you use servers and answer what they ask',
    load: () => import('./desk.ts'),
  },
  {
    name: 'inbox',
    description: 'answer what waits on the desk, in this terminal',
    load: () => import('./inbox.ts'),
  },
  {
    name: 'bridge',
    description: 'sit between a host and a server: what the host cannot ask, you answer in your browser',
    load: () => import('./bridge.ts'),
  },
  {
    name: 'call',
    description: "call one tool of a server; the server's questions are asked here",
    load: () => import('./call.ts'),
  },
  {
    name: 'dev',
    description: 'open a desk beside a server that you are writing; it is started again whenever its source changes',
    load: () => import('./dev.ts'),
  },
  {
    name: 'demo',
    description: 'run three scenarios of the notes server in both protocol revisions, message by message',
    load: () => import('./demo.ts'),
  },
  {
    name: 'design',
    description: "propose a tool's questions: whether to ask, the form, the message, the outcomes, and the code",
    load: () => import('./design.ts'),
  },
  {
    name: 'lint',
    description: 'call the tools of a server, answer their questions in every way, and report what breaks the rules',
    load: () => import('./lint.ts'),
  },
  {
    name: 'doctor',
    description: 'run a server that finds out what its host does with questions, and what to do about it',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'decisions',
    description: 'list what you refuse servers permanently, or allow it again',
    load: () => import('./decisions.ts'),
  },
  {
    name: 'rules',
    description: 'propose rules about calls, or say which rule decides about one',
    load: () => import('./rules.ts'),
  },
  {
    name: 'grants',
    description: 'list the calls that you let pass without being asked, or revoke that',
    load: () => import('./grants.ts'),
  },
  {
    name: 'inboxes',
    description: 'of a bridge: list the people who have one, remove a person, and print the record',
    load: () => import('./inboxes.ts'),
  },
  {
    name: 'admin',
    description: 'list the calls of your servers that are waiting, or end one',
    load: () => import('./admin.ts'),
  },
];
