/** The parts of every command that answers servers: the inbox, the decisions made in advance, and the record. */
import { resolve } from 'node:path';
import {
  Audit,
  auditFile,
  type ConnectionOptions,
  type DecisionStorage,
  decisionsFile,
  Inbox,
  type Limits,
  machineDisk,
  OfferedRoots,
  Policy,
  type RootsMemory,
  vaultFolder,
} from '@midcall/host';
import { configPath } from '../install/index.ts';

/** Where a command stores its state. */
export interface HostFlags {
  readonly decisions: string;
  readonly audit?: string;
}

/** The parts of a host. */
export interface HostParts {
  /** In the form that every connection takes. */
  readonly host: {
    readonly inbox: Inbox;
    readonly policy: Policy;
    readonly audit: Audit;
    readonly roots: OfferedRoots;
  };
  readonly storedDecisions: DecisionStorage;
  /** Sign-ins to servers, shared by all commands of this person. */
  readonly authorization: NonNullable<ConnectionOptions['authorization']>;
}

/**
 * @param onError - called with errors that concern no question, such as a record that cannot be written
 * @param memory - where the folders on offer are stored; nowhere if absent
 * @param limits - how much a server may ask, if not the default
 * @throws MidcallError `cli/usage` for a file of decisions that cannot be parsed; Error for a record that does not verify
 */
export function hostParts(
  { decisions, audit }: HostFlags,
  onError: (error: unknown) => void,
  memory?: RootsMemory,
  limits: Partial<Limits> = {},
): HostParts {
  const storedDecisions = decisionsFile(resolve(decisions), { onError });
  const host = {
    inbox: new Inbox({ onError }),
    policy: new Policy({ sharedDecisions: storedDecisions.current, limits }),
    audit: new Audit({ onError, ...(audit !== undefined && { sink: auditFile(resolve(audit)) }) }),
    roots: new OfferedRoots({
      disk: machineDisk,
      onError,
      ...(memory && { memory }),
    }),
  };
  return { host, storedDecisions, authorization: { vault: vaultFolder(configPath('sign-ins')) } };
}
