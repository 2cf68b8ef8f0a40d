/** `midcall grants`: lists what the person lets pass without being asked, searches it, and revokes it. */

import { resolve } from 'node:path';
import { visible } from '@midcall/core/text';
import { minuteInUtc } from '@midcall/core/time';
import { activeGrants, type CallGrant, consentFile, revokeGrant } from '@midcall/host';
import type { Command } from 'commander';
import { configPath } from '../install/index.ts';
import { usage } from './usage.ts';

interface GrantsFlags {
  readonly search?: string;
  readonly revoke?: string;
  readonly consent: string;
}

/** Adds the subcommand. */
export function register(command: Command): void {
  command
    .option('--search <text>', 'only those with this text in the server, the tool or the arguments')
    .option('--revoke <number>', 'revoke the grant with this number in the list, from the next call on')
    .option('--consent <file>', 'where they are kept', configPath('consent.json'))
    .action(async ({ search, revoke, consent: path }: GrantsFlags) => {
      const consent = consentFile(resolve(path));
      const grants = activeGrants(consent);
      if (revoke !== undefined) {
        const grant = /^[1-9]\d*$/.test(revoke) ? grants[Number(revoke) - 1] : undefined;
        if (!grant) throw usage(`There is no grant ${visible(revoke, { max: 20 })}. See: midcall grants`);
        await revokeGrant(consent, grant.id);
        process.stdout.write(`Revoked: ${said(grant)}\n`);
        return;
      }
      const found = new Set(activeGrants(consent, search === undefined ? {} : { search }).map(({ id }) => id));
      // The numbers are those of the whole list.
      const lines = grants.flatMap((grant, at) => (found.has(grant.id) ? [`${at + 1}  ${said(grant)}\n`] : []));
      const none =
        search === undefined ? 'No grants: you are asked about every call that your rules ask about.' : 'None.';
      process.stdout.write(lines.length === 0 ? `${none}\n` : lines.join(''));
    });
}

const which: Readonly<Record<CallGrant['scope'], string>> = {
  exact: 'with exactly',
  fields: 'where equal',
  tool: 'all calls',
};

function said({ server, tool, principal, scope, shows, until, session }: CallGrant): string {
  const text = (value: string, max = 80): string => visible(value, { max });
  const whose = principal === undefined ? '' : ` for ${text(principal)}`;
  const calls = scope === 'tool' ? which.tool : `${which[scope]} ${text(shows, 300)}`;
  return `${text(server)}: ${text(tool)}${whose}, ${calls}, until ${minuteInUtc(until)}${session === undefined ? '' : ' or the end of its process'}`;
}
