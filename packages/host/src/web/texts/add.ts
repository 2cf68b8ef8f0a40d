/** The desk's texts about adding servers. */

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const addTexts = {
  add: {
    label: 'A command, a URL, an mcp.json, or the name of an npm package',
    examples:
      'For example: node server.js · http://127.0.0.1:3000/mcp · @modelcontextprotocol/server-everything · or the text of an mcp.json. A command runs without a shell: quote arguments that contain spaces.',
    understood: {
      config: 'The servers of an mcp.json. All of them are added. Comments and trailing commas are fine.',
      url: (url: string) => `A server that is already running, at ${url}`,
      command: (program: string) => `A command. It starts ${program} on this computer, without a shell.`,
      package: (name: string) =>
        `The npm package ${name}. Next, you see its exact version, and nothing is run before you confirm it.`,
    },
    options: 'Name, folder and secrets',
    go: 'Add',
    lookUp: 'Look it up',
    noPackage: (name: string, wanted: string) =>
      `The npm registry has no ${wanted === 'latest' ? '' : `version ${wanted} of a `}package ${name}. Check the spelling. If it is a program, enter its whole path.`,
    registryAway: (name: string) =>
      `The npm registry did not say which version of ${name} it has. Check the connection, or enter the command that starts the server.`,
    package: {
      title: 'Run this package?',
      name: 'Package',
      version: 'Version',
      says: 'Its author says',
      runs: 'This is run',
      deprecated: 'Its author advises against it:',
      means:
        'npm downloads this version and what it depends on, and runs it on this computer with your rights. Check that the name is the one you were told.',
      run: (spec: string) => `Run ${spec}`,
      notExact: 'The name and the version of the package must be exact. Look it up again.',
    },
    values: {
      title: 'Some values are missing',
      lead: 'These servers need values that are not in their entries, and that the desk does not have. Leave a field empty to go without it.',
      usedBy: (servers: string) => `Used by ${servers}.`,
      storedEncrypted: 'Stored encrypted, separately from the list of servers.',
      inCommand: 'It becomes a part of the command line or the URL, which is stored and shown as it is.',
    },
    hosts: {
      title: 'Servers of other programs',
      lead: 'Claude, Cursor, VS Code and others keep lists of servers on this computer. The desk reads them when you press this, and adds what you choose.',
      look: 'Look for them',
      none: 'No list of servers was found in the places where Claude, Cursor, VS Code, Cline, Windsurf, Gemini CLI, LM Studio and Zed keep theirs.',
      choose: 'Choose what to add. Their secrets stay where they are, unless you tick that they are copied.',
      disabled: 'switched off there',
      inCommand: 'What looks like a secret in its command line or URL is masked here. It is copied with the server.',
      needs: (names: readonly string[]) => `You will be asked for ${listed(names)}.`,
      copySecrets: (names: readonly string[]) =>
        `Copy the ${names.length === 1 ? 'value' : 'values'} of ${listed(names)}, and store ${names.length === 1 ? 'it' : 'them'} encrypted`,
      from: (id: string, host: string) => `of ${id} from ${host}`,
      add: 'Add what is ticked',
      unread: (why: string) => `This list cannot be read: ${why}`,
    },
  },
};
