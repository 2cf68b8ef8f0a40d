/** What the inbox stores, as the rest of the bridge sees it. */
import type { Ending, Question, Receipt, Reply, Via } from '@midcall/host';
import type { HostWait, PersonQuestions } from '@midcall/host/web';
import type { ApprovalAsk, ApprovalInbox } from '@midcall/server';

/** Who owns a question: the inbox of this process, which alone decides how it ends. */
export interface QuestionOwner {
  /** Judges a reply; of a question, one at a time. */
  reply(reply: Reply, via: Via): Promise<Receipt>;
  /** Ends it without a reply. */
  end(ending: Ending): void;
}

/** A question of this process for somebody's inbox. */
export interface Asked {
  readonly principal: string;
  readonly question: Question;
  readonly owner: QuestionOwner;
  /** The host whose call it is, in its own words; for the record. */
  readonly host?: string;
  /** Whether that host waits now. */
  readonly wait?: HostWait;
}

/** The stored inboxes of all persons. */
export interface InboxStore {
  /**
   * Stores a question of this process; resolves when it is on the disk.
   * @throws MidcallError `host/refused` if the person was removed; `store/unavailable` if it cannot be stored, and nobody will see it
   */
  ask(asked: Asked): Promise<void>;
  /**
   * Says how a question of this process ended; of one that was not asked, nothing. Resolves when it is stored, which is tried until
   * the database can be used or the store is stopped. Never rejects.
   * @param ending - masked, as events of an inbox have it
   */
  ended(id: string, ending: Ending): Promise<void>;
  /** Says whether the host of a call waits for the answers to its questions. Never rejects. */
  tellWait(callId: string, wait: HostWait): Promise<void>;
  person(principal: string): PersonQuestions;
  /** Questions that servers ask of several people, or of one who has to use a passkey. */
  readonly approvals: StoredApprovals;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly people: People;
  readonly record: RecordOfInbox;
  readonly deliveries: Deliveries;
  /** Copies a SQLite database to a new file. @throws MidcallError `server/setup` for Postgres, which has its own tools */
  backup(to: string): Promise<void>;
  /** Ends the open questions of this process as `unshown`, and closes the database. */
  stop(): Promise<void>;
}

/** A call that the rules of a bridge's operator ask about, before it is made. Its server asks nothing, and does not know of it. */
export interface RuleAsk extends Omit<ApprovalAsk, 'message' | 'schema' | 'details'> {
  /** Why it is asked: the rest of a sentence that begins with "because". */
  readonly why: string;
  /** The operator's words for arguments, by their names. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** What people are asked together, or one of them with a passkey: by a server, or by the rules of a bridge. */
export type InboxAsk = ApprovalAsk | RuleAsk;

/** The seam between a server and an inbox, but for the address where people answer. */
export interface StoredApprovals extends Omit<ApprovalInbox, 'ask'> {
  /**
   * Ends it without an answer.
   * @throws MidcallError `store/unavailable` if that cannot be stored now; it is tried until it can, or the store is stopped
   */
  withdraw(id: string): Promise<void>;
  /**
   * Stores a question; resolves when it is on the disk. The same id again changes nothing.
   * @param options - `isOwn`: it is asked for this process alone, and withdrawn when that is gone
   * @throws MidcallError `ask/unavailable` with what {@link whyNot} says, if too many questions are open, or if its form cannot be shown
   */
  ask(ask: InboxAsk, options?: { readonly isOwn?: boolean }): Promise<void>;
}

/** A browser's session. */
export interface Session {
  readonly principal: string;
  /** As the issuer calls the person; shown. */
  readonly name: string;
  /** The token that every form of the session contains. */
  readonly csrf: string;
  /** When the person signed in, in milliseconds since the epoch. */
  readonly begunAt: number;
  /** True if the issuer asked the person to sign in for this session, and did not rely on an earlier sign-in. */
  readonly wasAsked: boolean;
}

/** Sessions of persons' browsers, the same for all bridges. Only digests of their secrets are stored. */
export interface Sessions {
  /**
   * Begins a session, which lasts twelve hours.
   * @param person - `groups`: those that the issuer names, where they count; `wasAsked`: see {@link Session}
   * @returns its secrets: `at`, in the path of its pages, and the value of the cookie
   * @throws MidcallError `host/refused` if the person was removed
   */
  begin(person: {
    readonly principal: string;
    readonly name: string;
    readonly groups?: readonly string[];
    readonly wasAsked?: boolean;
  }): Promise<{ readonly at: string; readonly cookie: string }>;
  /** @returns undefined if there is none, if it has ended, or for another's cookie */
  find(at: string, cookie: string): Promise<Session | undefined>;
  end(at: string): Promise<void>;
  endAll(principal: string): Promise<void>;
}

/** A passkey, as its owner and administrators see it. */
export interface Passkey {
  /** The id of the credential. */
  readonly id: string;
  /** As its owner calls it. */
  readonly name: string;
  readonly addedAt: number;
  /** When it last confirmed something; absent if it never did. */
  readonly usedAt?: number;
  readonly revokedAt?: number;
}

/** What checks an assertion of a passkey. */
export interface PasskeyKey {
  /** The id of the credential, in base64url. */
  readonly id: string;
  /** In COSE, in base64url. */
  readonly publicKey: string;
  /** How often it says that it was used; 0 if it does not count. */
  readonly counter: number;
  /** How browsers reach it. */
  readonly transports: readonly string[];
  /** How the authenticator knows its owner, in base64url: random, and the same for all passkeys of a person. */
  readonly user: string;
}

/** By what a person may add a passkey. */
export type PasskeyGrant = 'signed-in' | 'invited' | 'passkey';

/** Passkeys of all people, and invitations to add one. */
export interface Passkeys {
  /** Those of a person, with those that were revoked, in the order in which they were added. */
  list(principal: string): Promise<readonly Passkey[]>;
  /** What checks assertions of a person: of passkeys that count now. */
  keys(principal: string): Promise<readonly PasskeyKey[]>;
  /**
   * Adds a passkey to those of a person.
   * @param proof - the secret of the invitation that it uses up, or the id of the passkey that has confirmed it; absent after a sign-in
   * @returns `not-invited` if there is no such invitation of this person any more; `refused` if the passkey is somebody's already, the
   *   one that has confirmed it counts no more, or the person was removed, or has as many as one may have
   */
  add(
    principal: string,
    passkey: PasskeyKey & Pick<Passkey, 'name'>,
    by: PasskeyGrant,
    proof?: string,
  ): Promise<'added' | 'not-invited' | 'refused'>;
  /**
   * Records that a passkey has confirmed something.
   * @param counter - as the passkey says now
   * @param question - the id of the question whose answer it confirms
   * @returns false if it does not count (any more) for this person, or its count has not grown
   */
  use(principal: string, id: string, counter: number, question?: string): Promise<boolean>;
  /** @returns false if the person has no such passkey, or it is revoked */
  revoke(principal: string, id: string, by: 'owner' | 'administrator'): Promise<boolean>;
  /**
   * Invites a person to add a passkey, once within a day.
   * @returns the secret of the invitation
   * @throws MidcallError `host/refused` if the person was removed
   */
  invite(principal: string): Promise<string>;
  /** Whether this is the secret of an invitation of this person that can be used. */
  isInvited(principal: string, secret: string): Promise<boolean>;
}

/** A person, as administrators see them. */
export interface Person {
  readonly principal: string;
  /** As at their last sign-in; absent if they never signed in. */
  readonly name?: string;
  /** When they last signed in. */
  readonly seenAt?: number;
  readonly removedAt?: number;
  /** How many questions are open. */
  readonly open: number;
}

/** Who may use the inbox: everybody whom the issuer signs in, but for those who were removed. */
export interface People {
  /** Everybody who signed in, was asked, or was removed. */
  list(): Promise<readonly Person[]>;
  /**
   * Ends a person's sessions, revokes their passkeys, and takes no more replies of theirs; the bridges end their questions.
   * @returns false if they were removed already
   */
  remove(principal: string): Promise<boolean>;
  /** Takes a removal back, but for the passkeys. @returns false if they were not removed */
  admit(principal: string): Promise<boolean>;
  isRemoved(principal: string): Promise<boolean>;
}

/** A line of the record. */
export interface RecordLine {
  /** 1, 2, 3 and so on, without a gap. */
  readonly line: number;
  readonly at: number;
  /**
   * `requested` and `decided`: a server began to ask several people, or one with a passkey, and how that ended; each of them is `asked`,
   * and their answer or the end is `ended`; `voided`: an answer counts no more, since its person was removed or left the group.
   */
  readonly event:
    | 'asked'
    | 'ended'
    | 'removed'
    | 'admitted'
    | 'requested'
    | 'decided'
    | 'voided'
    | 'invited'
    | 'passkey-added'
    | 'passkey-used'
    | 'passkey-revoked';
  /** Whose inbox it is; of `requested` and `decided`, whose call, and empty if nobody knows. */
  readonly principal: string;
  /** The id of the question that was asked, has ended, or whose answer a passkey has confirmed. */
  readonly question?: string;
  readonly server?: string;
  readonly host?: string;
  readonly kind?: Question['kind'];
  /** How it ended. `unreachable`: too few people were left who could agree. Of a passkey, by what it was added, or who revoked it. */
  readonly how?: Ending['how'] | 'in-doubt' | 'unreachable' | PasskeyGrant | 'owner' | 'administrator';
  /** Where it was answered: `inbox`, or the name of another view; of a passkey, its id. */
  readonly via?: Via;
  /** A keyed digest of the answer. */
  readonly answer?: string;
  /** The id of what several people were asked, or one with a passkey. */
  readonly approval?: string;
  /** How certain it was who answered that. */
  readonly assurance?: 'verified' | 'present';
  /** A keyed digest of this line and the one before it. */
  readonly digest: string;
}

/** Which lines of the record; all of it has to fit. */
export interface RecordFilter {
  readonly principal?: string;
  readonly server?: string;
  /** The earliest time, in milliseconds since the epoch. */
  readonly from?: number;
  /** The latest time. */
  readonly to?: number;
}

/** The record of what was asked and how it ended. */
export interface RecordOfInbox {
  search(filter?: RecordFilter): AsyncIterable<RecordLine>;
  /** @returns whether nobody has changed it; `at` is the first line that is wrong or missing */
  verify(): Promise<{ readonly ok: true; readonly lines: number } | { readonly ok: false; readonly at: number }>;
}

/** Where and how a push service is told to wake a device, as its browser says it. */
export interface Subscription {
  readonly endpoint: string;
  /** Base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** What kind of device it is; shown. */
  readonly name: string;
}

/** A device on which a person is told that a question waits. */
export interface Device {
  readonly id: string;
  readonly subscription: Subscription;
  readonly since: number;
  readonly toldAt?: number;
  /** When an attempt failed, and why, since they were told last. */
  readonly failedAt?: number;
  readonly failure?: string;
}

/** One of the places where somebody is told. */
export interface ToldTarget {
  readonly principal: string;
  readonly by: 'push' | 'webhook';
  readonly toldAt?: number;
  readonly failedAt?: number;
  readonly failure?: string;
}

/** The key pair by which push services know the inbox, base64url. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A target that this process tells now. */
export interface Claimed {
  readonly principal: string;
  readonly target: string;
  /** What all that are sent to one origin have in common. */
  readonly origin: string;
  readonly claim: string;
  /** The same for each attempt to tell the same. */
  readonly id: string;
  /** Absent for the webhook. */
  readonly subscription?: Subscription;
  readonly tries: number;
  /** Whether an attempt has failed since they were told last. */
  readonly hasFailed: boolean;
  readonly lastLine: number;
  readonly toldLine: number;
}

/** Whom to tell that a question waits for them, and where. */
export interface Deliveries {
  /** The key pair of this inbox, which is made when it is first asked for. */
  keys(): Promise<PushKeys>;
  /** Latest first. */
  devices(principal: string): Promise<readonly Device[]>;
  /**
   * The same endpoint again replaces what was there; of more than ten devices, the oldest one goes. Nothing is turned on for a person
   * who has no session.
   */
  turnOn(principal: string, subscription: Subscription): Promise<void>;
  turnOff(principal: string, device: string): Promise<void>;
  /** All of everybody. */
  list(): Promise<readonly ToldTarget[]>;
  /**
   * Takes what is due for a minute, and no more than may be told at a time.
   * @param underWay - what this process is telling already
   * @param toWebhook - whether the webhook is among them
   */
  claim(underWay: readonly Claimed[], toWebhook: boolean): Promise<readonly Claimed[]>;
  /** The question to tell of; undefined if none of them waits any more. */
  waiting(target: Claimed): Promise<string | undefined>;
  /** Makes the attempt a minute later. */
  putOff(target: Claimed): Promise<void>;
  /** Nothing is to be told. */
  drop(target: Claimed): Promise<void>;
  told(target: Claimed): Promise<void>;
  /** Tries again later, a few times. @param why - shown */
  failed(target: Claimed, why: string): Promise<void>;
  /** Ends a device for good. */
  gone(target: Claimed): Promise<void>;
}
