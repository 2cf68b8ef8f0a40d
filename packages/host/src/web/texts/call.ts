/** The desk's texts about calls and about the models they use. */
import type { CallOutcome } from '../../index.ts';
import { plural } from './plural.ts';

export const callTexts = {
  call: {
    you: { tool: 'You ran', prompt: 'You asked for the prompt', resource: 'You read' },
    yourHost: { tool: 'Your host ran', prompt: 'Your host asked for the prompt', resource: 'Your host read' },
    running: 'Running',
    stopping: 'The desk is stopping and makes no more calls. Nothing was done.',
    chip: {
      waiting: 'Waiting for you',
      running: 'Running',
      completed: 'Done',
      'tool-error': 'Tool error',
      refused: 'Refused by the server',
      cancelled: 'Cancelled',
      'timed-out': 'Timed out',
      abandoned: 'Abandoned',
      'server-gone': 'Server stopped',
    } satisfies Record<CallOutcome['how'] | 'waiting' | 'running', string>,
    endings: {
      refused: 'The server refused the call',
      'timed-out': 'The call timed out',
      abandoned: 'The call has no result',
      'server-gone': 'The call has no result',
    },
    refusedBy: {
      policy: 'The call ended because your policy refused a request',
      host: 'The call ended because Midcall refused a request',
    },
    refusedChip: { policy: 'Refused by policy', host: 'Refused by Midcall' },
    afterRefusal: {
      policy: 'Your policy refused what the server asked for. You gave no answer, and the server was not told why.',
      host: 'Midcall refused what the server asked for. You gave no answer.',
    },
    perhapsAsked: (over: boolean) =>
      over
        ? 'The server did not say which call this question was for. It may have been this one.'
        : 'The server did not say which call this question is for. It may be this one.',
    perhapsNoticed: 'The server did not say which call this was for. It may have been this one.',
    result: 'Result',
    toolError: 'The tool reported an error',
    cancelledLong: 'You cancelled this call. It will not continue.',
    cancel: 'Cancel the call',
    again: 'Run again',
    undo: 'To take it back:',
    declinedUndo: (wasSent: boolean) =>
      wasSent
        ? 'You declined. What the call did before it asked stays done. To answer otherwise:'
        : 'You declined. To answer otherwise:',
    working: 'The server is working.',
    onPage: 'Waiting for the page you opened.',
    noArguments: 'no arguments',
    unchecked: (why: string) => `Not checked against the tool’s output schema, because ${why}.`,
    noContent: 'The result has no content.',
    notShown: (count: number) =>
      `Not shown: ${plural(count, 'more part')} of this result. “Save as JSON” has all of them.`,
    foreignKind: (kind: string) => `Content of the unknown type “${kind}”, as it was sent:`,
    tooDeep: 'Nested too deeply to show.',
    role: (role: string) => ({ assistant: 'Assistant', user: 'User' })[role] ?? role,
    structured: 'Structured content',
    asWritten: 'Open as plain text',
    longText: 'The text',
    save: 'Save as JSON',
    copyAll: 'Copy as JSON',
    notLoaded: (about: string, address: string) =>
      `Image not loaded: ${about === '' ? address : `${about} (${address})`}`,
    picture: 'Image returned by the server',
    pictureFacts: (kind: string, width: number | undefined, height: number | undefined, bytes: number) =>
      [
        kind,
        ...(width === undefined || height === undefined ? [] : [`${width} × ${height} pixels`]),
        bytes < 1000
          ? plural(bytes, 'byte')
          : bytes < 1_000_000
            ? `${Math.round(bytes / 1000)} kB`
            : `${(bytes / 1_000_000).toFixed(1)} MB`,
      ].join(', '),
    progress: (done: number, total: number | undefined) => (total === undefined ? `${done}` : `${done} of ${total}`),
    unknown: 'There is no such call. The desk forgets the oldest calls first.',
    earlier:
      'This call is from an earlier session. Its questions were not kept, and secrets in its arguments are masked.',
    none: 'No calls yet.',
    took: (duration: string) => `took ${duration}`,
  },
  compare: {
    title: (name: string) => `${name}, two calls compared`,
    heading: ': two calls compared',
    lead: 'What differs between the two calls. Lines with a minus are only in the other call, lines with a plus only in this one.',
    action: 'Compare',
    with: 'Compare with',
    go: 'Compare',
    before: 'Other call',
    after: 'This call',
    equal: 'No difference.',
    came: 'added: ',
    went: 'removed: ',
    same: (lines: number) => plural(lines, 'unchanged line'),
    none: 'There is no other call to compare this one with.',
    noResult: {
      before: 'The other call has no result.',
      after: 'This call has no result.',
      both: 'Neither call has a result.',
    },
  },
  wire: {
    title: 'Messages and logs',
    lead: 'The latest messages between the desk and this server, newest first. Values whose names suggest a secret are masked.',
    whole: 'Search and filter',
    pings: (count: number) => `ping, ${count} times, each with its answer`,
    pause: 'Pause',
    resume: 'Resume',
    paused: 'Paused',
    clear: 'Clear',
    export: 'Export as JSON Lines',
    search: 'Search messages and logs',
    level: 'Log level',
    from: (level: string) => `Logs: ${level} and above`,
    filter: 'Filter',
    frames: 'Protocol messages',
    logs: 'Log messages',
    noLogs: 'No log messages.',
    notShown: (count: number) => `The export also has ${plural(count, 'older message')}.`,
    noneFits: 'No message matches.',
    none: 'Nothing yet. Run a tool to see its messages here.',
    nonePaused: 'Paused: nothing is being recorded.',
    sent: 'sent',
    received: 'received',
    answer: (what: 'result' | 'error', id: string, method: string | undefined) =>
      method === undefined ? `${what} · ${id}` : `${what} · ${id} · ${method}`,
  },
  json: {
    entries: (count: number) => plural(count, 'entry', 'entries'),
    members: (count: number) => plural(count, 'member'),
    more: (count: number) => `${count} more`,
    table: (columns: readonly string[]) => `Table of ${columns.join(', ')}`,
  },
  sampling: {
    model: 'Model',
    system: 'System prompt',
    role: { user: 'User', assistant: 'Assistant' } as Record<string, string>,
    limit: 'Limit',
    maxTokens: (count: number) => `at most ${count} tokens`,
    tools: 'Tools it may use',
    ignored: 'Ignored',
    proposed: 'Proposed:',
    note: 'Note',
    approve: 'Send to the model',
    byHand: 'No model is connected. You write the reply yourself, in the next step.',
    approveByHand: 'Write the reply',
    ownReply: 'Your reply',
    giveByHand: 'The server gets what you write here.',
    approveReply: 'Send to the server',
    waysOut: 'Decline refuses the request. Dismiss closes it without a decision. Either way, the server gets no reply.',
    edit: 'You can change the text before it is sent.',
    prompt: 'The prompt',
    replyOf: 'The model replied',
    stopped: 'Stop reason',
    notText: (kind: string) => `Content of type “${kind}”, passed on unchanged:`,
  },
};
