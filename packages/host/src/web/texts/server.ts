/** The desk's texts about servers and what they offer. */
import { plural } from './plural.ts';

export const serverTexts = {
  servers: {
    title: 'Servers',
    add: 'Add a server',
    none: 'No servers yet. Add one to see what it offers.',
    tools: 'Tools',
    toolsOf: (server: string, count: number) => `${plural(count, 'tool')} of ${server}`,
    moreTools: (count: number, all: boolean) => (all ? `All ${count} tools` : `${count} more`),
    counts: (tools: number, prompts: number, resources: number) =>
      [
        plural(tools, 'tool'),
        ...(prompts > 0 ? [plural(prompts, 'prompt')] : []),
        ...(resources > 0 ? [plural(resources, 'resource')] : []),
      ].join(', '),
    filter: (count: number) => `Filter ${count} entries`,
    noneFits: 'No entry matches.',
    noTools: 'This server has no tools.',
    toolsUnknown: 'Start the server to see what it offers.',
    unlisted: (list: string, why: string) => `The ${list} could not be listed: ${why}`,
    prompts: 'Prompts',
    resources: 'Resources',
    state: {
      starting: 'starting',
      ready: 'ready',
      stopped: 'stopped',
      failed: 'not running',
    } as Record<string, string>,
    starting: 'Starting',
    connecting: 'Connecting',
    restart: { command: 'Start it again', url: 'Connect again' },
    muted: 'Muted: everything it asks is refused without reaching you.',
    mutedShort: 'muted',
    unmute: 'Unmute',
    stop: 'Stop',
    signOut: 'Sign out',
    signOutUntold:
      'You are signed out here. The sign-in service could not be told, so the access it granted lasts until it expires.',
    remove: 'Remove',

    startedWith: 'Started with',
    reachedAt: 'URL',
    says: 'Calls itself',
    protocol: 'Protocol revision',
    revision: (era: string) => `MCP ${era}`,
    roots: 'Folders it may use',
    noRoots: 'None',
    changeRoots: 'Change',
    runsIn: 'Runs in',
    bridgeOf: (host: string) => (host === '' ? 'a bridge' : `the bridge of ${host}`),
    log: 'Output on standard error',
    edit: 'Edit',
    editTitle: (id: string) => `Edit ${id}`,
    duplicate: 'Duplicate',
    moveUp: 'Move up',
    moveDown: 'Move down',
    keep: 'Keep for the next session',
    notSaved: 'This server is on the desk for this session only.',
    more: 'More',
    asConfig: 'As mcp.json',
    copyConfig: 'Copy',
    copied: 'Copied',
    save: 'Save',
    cancel: 'Cancel',
    directory: 'Working directory',
    variables: 'Environment variables',
    headers: 'Headers',
    hiddenValue: 'stored encrypted',
    drop: 'Remove',
    newVariables: 'Set environment variables',
    newHeaders: 'Set headers',
    variablesHelp: 'One NAME=value per line. Values are stored encrypted, separately from the list of servers.',
    headersHelp:
      'One Name: value per line, such as Authorization: Bearer …. Values are stored encrypted, separately from the list of servers.',
    badLine: (line: number, sign: '=' | ':') =>
      sign === '='
        ? `Line ${line} of the variables must be NAME=value.`
        : `Line ${line} of the headers must be Name: value.`,
    badName: (line: number) => `The name on line ${line} contains a character that is not allowed in it.`,
    startsWhenNeeded: 'starts when needed',
    unsaved: (why: string) => `Your changes apply now, but could not be kept for the next session: ${why}`,
    imported: {
      title: 'Import from mcp.json',
      notAdded: 'not added',
      summary: (ready: number, starting: number, failed: readonly string[]) =>
        [
          `${ready} ready`,
          ...(starting > 0 ? [`${starting} starting`] : []),
          ...(failed.length > 0 ? [`${failed.length} failed: ${failed.join(', ')}`] : []),
        ].join(', '),
    },
    addTitle: 'Add a server',
    name: 'Name',
    nameHelp:
      'What to call it on this desk. If you leave this empty, it is called after its package, its program or its host.',
    command: 'Command line',
    commandHelp:
      'For example, npx -y @modelcontextprotocol/server-everything. It runs without a shell. Quote arguments that contain spaces.',
    url: 'URL',
    urlHelp: 'Its MCP endpoint, for example http://127.0.0.1:3000/mcp.',
    start: 'Start',
    connect: 'Connect',
    addAll: 'Add all',
    taken: (id: string) => `There is already a server called ${id}. Choose another name.`,
    unknown: 'There is no such server on the desk.',
    comingUp: (id: string) => `${id} is starting. This page appears when it has started.`,
    wentAway: (id: string) => `${id} is not running.`,
    againHelp: (nothingSent = false) =>
      nothingSent
        ? 'Nothing of this call was sent. Once the server is running again, you can run it with the same arguments.'
        : 'It is not known what this call has done. Find that out first. Once the server is running again, you can run it with the same arguments.',
  },
  tool: {
    arguments: 'Arguments',
    noArguments: {
      tool: 'This tool takes no arguments.',
      prompt: 'This prompt takes no arguments.',
      resource: 'This resource takes no arguments.',
    },
    resultHere: {
      tool: 'The result appears here.',
      prompt: 'The prompt appears here.',
      resource: 'The resource appears here.',
    },
    remembered: 'This is from the last session. Its arguments appear here once the server runs.',
    more: 'More',
    asJson: 'Edit as JSON',
    asForm: 'Edit as a form',
    json: 'Arguments as JSON',
    jsonHelp: 'One JSON object, with a member for each argument.',
    schema: 'Input schema',
    run: { tool: 'Run', prompt: 'Get the prompt', resource: 'Read' },
    readOnly: 'read-only',
    destructive: 'may destroy data',
    idempotent: 'safe to repeat',
    openWorld: 'contacts other systems',
    destroysNothing: 'deletes nothing',
    unknown: 'unknown',
    unknownHelp: 'The server does not say what this tool changes.',
    unclear: (count: number, of: number) =>
      count === of
        ? `The server does not say what ${of === 1 ? 'this tool changes' : 'these tools change'}.`
        : `The server does not say what ${count} of these ${of} tools ${count === 1 ? 'changes' : 'change'}.`,
    unavailable: 'The server is not running.',
    missing: 'This server offers nothing with that name.',
  },
};
