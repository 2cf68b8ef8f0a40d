/**
 * The tables of the inbox, the same in SQLite and Postgres, and the numbered changes that made them. Contents are sealed; other columns
 * hold ids, names of servers and hosts, kinds, states and times in milliseconds since the epoch.
 */
import { type Kysely, type Migration, Migrator, sql } from 'kysely';

/** The columns. A `line` is a line of the record: it orders questions and ends, whatever clocks say. */
export interface Tables {
  /** One row. It is locked by whoever changes anything, so that changes happen one after the other. */
  inbox_head: {
    one: number;
    /** The last line of the record. */
    line: number;
    digest: string;
    /** A keyed digest of that digest. */
    proof: string;
    /** A sealed text, by which a wrong key is noticed. */
    key_check: string;
  };
  inbox_record: {
    line: number;
    at: number;
    event: string;
    principal: string;
    question: string | null;
    server: string | null;
    host: string | null;
    kind: string | null;
    how: string | null;
    via: string | null;
    answer: string | null;
    approval: string | null;
    assurance: string | null;
    /** The id of the key that made the digests. */
    key: string;
    digest: string;
  };
  /** Processes that have questions open. */
  inbox_bridges: {
    id: string;
    /** Grows for as long as the process lives. */
    beat: number;
    /** 1 once another process has declared it gone. */
    gone: number;
  };
  inbox_questions: {
    id: string;
    principal: string;
    /** The process that owns it; empty for the question of an approval, which no process owns. */
    bridge: string;
    /** The approval that this is the question of, to one of those who are asked. */
    approval: string | null;
    server: string;
    host: string | null;
    kind: string;
    asked_line: number;
    asked_at: number;
    ended_line: number | null;
    ended_at: number | null;
    how: string | null;
    /** 1 once the person was removed: its bridge has to end it. */
    refused: number;
    /** Sealed, as are all texts below. */
    wait: string | null;
    ending: string | null;
  };
  /** The questions themselves, which may be large, and never change; of an approval, only its id. */
  inbox_contents: { id: string; question: string };
  inbox_replies: {
    id: string;
    question: string;
    /** Its place among the replies to its question. */
    place: number;
    state: ReplyState;
    reply: string;
    receipt: string | null;
  };
  inbox_sessions: { at: string; cookie: string; principal: string; begun_at: number; expires_at: number };
  inbox_people: {
    principal: string;
    /** Grows with each change that a page of this person shows. */
    version: number;
    name: string | null;
    seen_at: number | null;
    removed_at: number | null;
  };
  /** What several people, or one person with a passkey, are asked by a server. */
  inbox_approvals: {
    id: string;
    /** The address of the inboxes whose server asks; the groups of its configuration are meant. */
    home: string;
    group_name: string | null;
    /** 1 if a claim makes people members of its group. */
    by_claim: number;
    /** The process for which alone it is asked; null if another one can go on with it. */
    bridge: string | null;
    /** Empty if nobody knows. */
    requester: string;
    due_at: number;
    /** Grows with each change. */
    version: number;
    ended_at: number | null;
    /** Sealed, and so is the outcome. */
    asked: string;
    outcome: string | null;
  };
  /** One answer of each person to an approval, for as long as it counts. */
  inbox_votes: { approval: string; principal: string; line: number; vote: string };
  /** The groups of people that the issuer named when they last signed in, each with a keyed digest. */
  inbox_groups: { principal: string; name: string; proof: string };
  inbox_passkeys: {
    /** The id of the credential. */
    id: string;
    principal: string;
    /** Sealed: its name and, until it is revoked, its key. */
    content: string;
    counter: number;
    added_at: number;
    used_at: number | null;
    revoked_at: number | null;
  };
  inbox_invitations: { digest: string; principal: string; expires_at: number; used_at: number | null };
  /** Where somebody is told that a question waits for them: each of their devices, and the webhook of the operator. */
  inbox_targets: {
    principal: string;
    /** The id of a device, or `webhook`. */
    target: string;
    /** Sealed: where and how to send to a device. */
    subscription: string | null;
    /** A keyed digest of the origin that it is sent to; `webhook` for that. */
    origin: string;
    /** When a device was turned on. */
    since: number;
    /** The last question that was asked. More is to be told for as long as this is greater than `told_line`. */
    last_line: number;
    /** Up to which question they have been told, or telling them was given up. */
    told_line: number;
    /** No attempt is made before. */
    due_at: number;
    /** How many attempts were made. */
    tries: number;
    /** Of the process that makes an attempt. */
    claim: string | null;
    /** When another process may take over. */
    claimed_until: number;
    /** When they were told last. */
    told_at: number | null;
    /** When an attempt failed, and why, since they were told last. */
    failed_at: number | null;
    failure: string | null;
  };
  /** One row: the key pair that push services know this inbox by. */
  inbox_push_keys: {
    one: number;
    public_key: string;
    /** Sealed. */
    private_key: string;
  };
}

/** What has become of a reply. */
export type ReplyState = (typeof replyState)[keyof typeof replyState];

export const replyState = { waiting: 0, taken: 1, done: 2 } as const;

const migrations: Record<string, Migration> = {
  '0001': {
    async up(db: Kysely<unknown>) {
      const { schema } = db;
      await schema
        .createTable('inbox_head')
        .addColumn('one', 'integer', column => column.primaryKey())
        .addColumn('line', 'bigint', column => column.notNull())
        .addColumn('digest', 'text', column => column.notNull())
        .addColumn('proof', 'text', column => column.notNull())
        .addColumn('key_check', 'text', column => column.notNull())
        .execute();
      await schema
        .createTable('inbox_record')
        .addColumn('line', 'bigint', column => column.primaryKey())
        .addColumn('at', 'bigint', column => column.notNull())
        .addColumn('event', 'text', column => column.notNull())
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('question', 'text')
        .addColumn('server', 'text')
        .addColumn('host', 'text')
        .addColumn('kind', 'text')
        .addColumn('how', 'text')
        .addColumn('via', 'text')
        .addColumn('answer', 'text')
        .addColumn('key', 'text', column => column.notNull())
        .addColumn('digest', 'text', column => column.notNull())
        .execute();
      await schema.createIndex('inbox_record_of').on('inbox_record').columns(['principal', 'line']).execute();
      await schema
        .createTable('inbox_bridges')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('beat', 'bigint', column => column.notNull())
        .addColumn('gone', 'integer', column => column.notNull())
        .execute();
      await schema
        .createTable('inbox_questions')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('bridge', 'text', column => column.notNull())
        .addColumn('server', 'text', column => column.notNull())
        .addColumn('host', 'text')
        .addColumn('kind', 'text', column => column.notNull())
        .addColumn('asked_line', 'bigint', column => column.notNull())
        .addColumn('asked_at', 'bigint', column => column.notNull())
        .addColumn('ended_line', 'bigint')
        .addColumn('ended_at', 'bigint')
        .addColumn('how', 'text')
        .addColumn('refused', 'integer', column => column.notNull())
        .addColumn('wait', 'text')
        .addColumn('ending', 'text')
        .execute();
      const index = (name: string, columns: string, where: string) =>
        sql
          .raw(`create index inbox_questions_${name} on inbox_questions (${columns}) where ended_line is ${where}`)
          .execute(db);
      await index('open', 'principal, asked_line', 'null');
      await index('ended', 'principal, ended_line', 'not null');
      await index('at', 'bridge', 'null');
      await index('old', 'ended_at', 'not null');
      await schema
        .createTable('inbox_contents')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('question', 'text', column => column.notNull())
        .execute();
      await schema
        .createTable('inbox_replies')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('question', 'text', column => column.notNull())
        .addColumn('place', 'integer', column => column.notNull())
        .addColumn('state', 'integer', column => column.notNull())
        .addColumn('reply', 'text', column => column.notNull())
        .addColumn('receipt', 'text')
        .execute();
      await schema.createIndex('inbox_replies_to').on('inbox_replies').columns(['question', 'place']).execute();
      await sql`create index inbox_replies_waiting on inbox_replies (question, place) where state < 2`.execute(db);
      await schema
        .createTable('inbox_sessions')
        .addColumn('at', 'text', column => column.primaryKey())
        .addColumn('cookie', 'text', column => column.notNull())
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('begun_at', 'bigint', column => column.notNull())
        .addColumn('expires_at', 'bigint', column => column.notNull())
        .execute();
      await schema.createIndex('inbox_sessions_of').on('inbox_sessions').column('principal').execute();
      await schema
        .createTable('inbox_people')
        .addColumn('principal', 'text', column => column.primaryKey())
        .addColumn('version', 'bigint', column => column.notNull())
        .addColumn('name', 'text')
        .addColumn('seen_at', 'bigint')
        .addColumn('removed_at', 'bigint')
        .execute();
    },
  },
  '0002': {
    async up(db: Kysely<unknown>) {
      const { schema } = db;
      for (const column of ['approval', 'assurance'])
        await schema.alterTable('inbox_record').addColumn(column, 'text').execute();
      await schema.alterTable('inbox_questions').addColumn('approval', 'text').execute();
      await sql`create index inbox_questions_of on inbox_questions (approval, principal) where approval is not null`.execute(
        db,
      );
      await schema
        .createTable('inbox_approvals')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('home', 'text', column => column.notNull())
        .addColumn('group_name', 'text')
        .addColumn('by_claim', 'integer', column => column.notNull())
        .addColumn('bridge', 'text')
        .addColumn('requester', 'text', column => column.notNull())
        .addColumn('due_at', 'bigint', column => column.notNull())
        .addColumn('version', 'bigint', column => column.notNull())
        .addColumn('ended_at', 'bigint')
        .addColumn('asked', 'text', column => column.notNull())
        .addColumn('outcome', 'text')
        .execute();
      for (const column of ['due_at', 'requester', 'group_name', 'bridge'])
        await sql
          .raw(`create index inbox_approvals_${column} on inbox_approvals (${column}) where ended_at is null`)
          .execute(db);
      await sql`create index inbox_approvals_old on inbox_approvals (ended_at) where ended_at is not null`.execute(db);
      await schema
        .createTable('inbox_votes')
        .addColumn('approval', 'text', column => column.notNull())
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('line', 'bigint', column => column.notNull())
        .addColumn('vote', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('inbox_votes_key', ['approval', 'principal'])
        .execute();
      await schema.createIndex('inbox_votes_of').on('inbox_votes').column('principal').execute();
      await schema
        .createTable('inbox_groups')
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('name', 'text', column => column.notNull())
        .addColumn('proof', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('inbox_groups_key', ['principal', 'name'])
        .execute();
      await schema.createIndex('inbox_groups_of').on('inbox_groups').columns(['name', 'principal']).execute();
    },
  },
  '0003': {
    async up({ schema }: Kysely<unknown>) {
      await schema
        .createTable('inbox_passkeys')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('content', 'text', column => column.notNull())
        .addColumn('counter', 'bigint', column => column.notNull())
        .addColumn('added_at', 'bigint', column => column.notNull())
        .addColumn('used_at', 'bigint')
        .addColumn('revoked_at', 'bigint')
        .execute();
      await schema.createIndex('inbox_passkeys_of').on('inbox_passkeys').column('principal').execute();
      await schema
        .createTable('inbox_invitations')
        .addColumn('digest', 'text', column => column.primaryKey())
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('expires_at', 'bigint', column => column.notNull())
        .addColumn('used_at', 'bigint')
        .execute();
    },
  },
  '0004': {
    async up(db: Kysely<unknown>) {
      const { schema } = db;
      await schema
        .createTable('inbox_targets')
        .addColumn('principal', 'text', column => column.notNull())
        .addColumn('target', 'text', column => column.notNull())
        .addColumn('subscription', 'text')
        .addColumn('since', 'bigint', column => column.notNull())
        .addColumn('last_line', 'bigint', column => column.notNull())
        .addColumn('told_line', 'bigint', column => column.notNull())
        .addColumn('due_at', 'bigint', column => column.notNull())
        .addColumn('tries', 'integer', column => column.notNull())
        .addColumn('claim', 'text')
        .addColumn('claimed_until', 'bigint', column => column.notNull())
        .addColumn('told_at', 'bigint')
        .addColumn('failed_at', 'bigint')
        .addColumn('failure', 'text')
        .addPrimaryKeyConstraint('inbox_targets_of', ['principal', 'target'])
        .execute();
      await sql`create index inbox_targets_due on inbox_targets (due_at) where last_line > told_line`.execute(db);
      await schema
        .createTable('inbox_push_keys')
        .addColumn('one', 'integer', column => column.primaryKey())
        .addColumn('public_key', 'text', column => column.notNull())
        .addColumn('private_key', 'text', column => column.notNull())
        .execute();
    },
  },
  '0005': {
    async up({ schema }: Kysely<unknown>) {
      await schema
        .alterTable('inbox_targets')
        .addColumn('origin', 'text', column => column.notNull().defaultTo(''))
        .execute();
    },
  },
};

/** Brings the tables up to date; of several processes that start at once, one does. */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'inbox_migrations',
    migrationLockTableName: 'inbox_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
