/**
 * What outsiders get, entry by entry. A name that is added or taken away is a decision that somebody reviews here.
 *
 * - Each value is used by a document, an example, or another package of ours, or it is not in the list.
 * - No name stands for two things, in whichever entry it is looked for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sourceOf as placeOf } from '../../tools/places.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Entry -> the names it exports, sorted. */
const publicNames: Record<string, { readonly values: string; readonly types: string }> = {
  '@midcall/server': {
    values: `
      advanceToolLoop answerToolUse approvers createSealer form isMidcallError keyRing midcall principalId readPrincipalId
      MidcallError notDone samplingTool startToolLoop textOf whyNot`,
    types: `
      AboutClient AboutRequest Answer ApprovalAsk ApprovalInbox ApprovalOutcome ApprovalStanding Approvers ApproversOptions AnyMcpServer AnyServer AnyServerFactory Assurance AuditEvent AuditSink By Call CallRef Can CancelReason
      Channel CheckedForms Choice Clock Consent Content Details ElicitAsk ErrorSink Field
      FieldMessages Form FormInput FormValue
      GatewayCall GatewayOptions GatewayQuestion Handled JobRun Jobs Json Jsonified KeyRing KeyRingOptions KeySource
      LogLevel Midcall MidcallErrorCode MidcallOptions ModelReply NotDone Observation Observer Opened
      Page PageAsk PageEvent PageLink PageOutcome Pages PageService PagesHost Passed PersonCheck
      SampleAsk Principal PrincipalOf PromptAnswer PromptConfig RawField RawForm
      RequestOutcome ResourceAnswer ResourceConfig RunOutcome SamplingMessage SamplingModel
      SamplingRequest SamplingResult SamplingTool Sealer SealerOptions SealKey Shorthand
      ShorthandRecord StandardForm StepContext StepOptions StepRetry StopOptions Store TaskMode TitledChoices
      ToolAnswer ToolCards ToolConfig ToolLoopStep SampleWithToolsAsk ToolSamplingResult UrlAsk Validation Vote
      WaitingCall Wake WireSchema WizardAsk WizardCondition WizardContent WizardForm WizardForms WizardValidate`,
  },
  '@midcall/inbox': {
    values: `
      openInbox openInboxStore`,
    types: `
      Asked Claimed Deliveries Device Enrolment InboxAsk InboxGroups InboxService InboxServiceOptions InboxStore InboxStoreOptions
      Passkey PasskeyGrant PasskeyKey Passkeys People Person PushKeys QuestionOwner RecordFilter RecordLine RecordOfInbox RuleAsk
      Session Sessions StoredApprovals Subscription ToldTarget WebhookOptions`,
  },
  '@midcall/server/roots': {
    values: `
      boundary liveRoots toPath toUri`,
    types: `
      Boundary BoundaryMode BoundaryOptions Entry FileHandle Files FileStat Guarantee LiveRoots
      LiveRootsOptions PathStyle Root RootsAnswer`,
  },
  '@midcall/server/connect': {
    values: `
      bearer confirm connect formKindOf formPage html oauth oauthPages pageOf provider reach secret
      signIn vault`,
    types: `
      AccessToken Bearer BearerOptions BooleanItem ConfirmOptions Connect Connected ConnectOptions
      FieldItem Forgotten FormKindOptions FormPageOptions GroupItem Html HtmlValue Item Items ItemsValue Keeper
      ListItem MultiSelectItem NumberItem OAuthPageOptions OAuthTokens PageKind PageView
      Provider ProviderMetadata ProviderOptions Reach ReachOptions SecretOptions SelectItem Sent
      SignedIn SignIn SignInOptions Step TextItem Trouble Vault VaultOptions Visit VisitDesk`,
  },
  '@midcall/server/http': {
    values: `
      mcpEndpoint`,
    types: `
      EventStoreOptions RequestExtras Health HttpOptions McpEndpoint Outgoing Refusal SessionOptions UnreadOptions`,
  },
  '@midcall/server/fleet': {
    values: `
      redisFleet redisJobs redisOwners redisWake`,
    types: `
      Fleet FleetConnection FleetHost FleetRequest FleetServing Owners RedisClient RedisFleetOptions
      RedisJobsOptions RedisOwnersOptions RedisWakeOptions StopPart`,
  },
  '@midcall/server/node': {
    values: `
      nodeHandler serveEndpoints serveHttp serveStdio`,
    types: `
      EndpointsServing HttpServing Listening NodeHandler StdioOptions StdioServing`,
  },
  '@midcall/server/models': {
    values: `
      modelRouter`,
    types: `
      LanguageModel ModelEntry ModelSkill`,
  },
  '@midcall/host': {
    values: `
      agentTools argumentRows attach Audit auditFile commandTarget Connection detectWorkspace followTasks Inbox isFollowed isMidcallError
      judgeUrl machineDisk mask maskedArguments memoryVault MidcallError OfferedRoots outputValidator Policy
      proposeRules readServerEntries rootsFile Rules rulesFile activeGrants consentFile revokeGrant wouldPass decisionsFile foldAlike secretNames secretsOf serverName serverOpener StartedServer storeFile
      tasksFile urlTarget vaultFolder verifyAudit visible withFileLock`,
    types: `
      AgentCall AgentCallOptions AgentReply AgentTool Annotated AnyClient ApprovedCall ArgumentRow AskedModel Asker AskSignIn AttachEvent Attachment AttachOptions AuditEntry
      AuditLog AuditOptions AuditVerdict CallApproval CallContext CallEvent CallHandle CallOutcome CallProgress CallQuestion CallRequest CallTask CallVerdict
      Catalogue Clock ConnectionEvent ConnectionOptions ConnectionState DetectedWorkspace ElicitationMode Ending Era
      FileLockOptions FollowTasksOptions FormQuestion ForwardedAnswer ForwardedRequest ForwardOptions Grant GrantVault HostEvent InboxEvent CallGrant ConsentContent ConsentStorage GrantChoice GrantEnd GrantOffer GrantScope
      InboxOptions DecisionStorage StoredTask TaskStorage JudgedCall RegisteredClient Limits ListedTool ListName ListProblem MidcallErrorCode ModelReply Notice
      OfferedRoot OfferedRootsOptions OnRule Owner PausableTransport PolicyOptions Presenter ProcessMark Question Receipt Reply Root
      RootsDisk RootsMemory RootsQuestion RootsState Decision DecisionsFileOptions Rule RulesFileOptions RulesOptions RunOptions SamplingAccount SamplingLimits
      SamplingMessageView SamplingModel SamplingPrompt SamplingReplyQuestion SamplingRequest SamplingRequestQuestion
      SamplingResult SamplingSpent SamplingWishes ServerAuth ServerEntry ServerInfo ServerIntroduction ServerOpener ServerTarget
      SignInQuestion SignInRequest StopOptions Store Subject TaskQuestion TaskServer TransportOptions UrlFinishQuestion UrlJudgement
      UrlOptions UrlQuestion UrlWarning VaultKey Verdict Via VisibleOptions WireFrame WireWatch`,
  },
  '@midcall/host/terminal': {
    values: `
      drawnText drawnValue Terminal`,
    types: `
      DrawOptions MaybeTty TerminalOptions`,
  },
  '@midcall/host/web': {
    values: `
      browsersFile callFile deskDeclares deskFile earlierValues personPages startDesk`,
    types: `
      ApprovalDetails ApprovalView ApprovalVote ArgumentTemplate BrowserKey BrowserMemory CallMemory DeskConnection DeskMemory DeskOptions DeskRecord EndedQuestion HostWait
      ModelsView OpenQuestion PasskeyProblem PasskeyRequest PersonEnding NotifiedDevice PersonNotice PersonNotifications PersonPages PersonPagesOptions PersonPasskeys PersonQuestions PreferencesRecord Present RememberedOffer RememberedOffers RunningDesk SecretBox ShownPasskey StoredCall Theme TryView
      Visitor WorkspaceParts`,
  },
  '@midcall/host/models': {
    values: `
      modelRouter`,
    types: `
      LanguageModel ModelEntry ModelSkill`,
  },
  '@midcall/testing': {
    values: `
      connectPair eras explore finishPage fittingContent negotiation pairings scriptedPerson storeContract testInbox`,
    types: `
      Answering Carrier DeliveredAnswer Era ExploredOutcome ExploredQuestion ExploredTool
      ExploreOptions ExploreOptionsForMidcall ExploreReport Finding FindingKind FinishPageOptions Frame PageInput
      Pair PairOptions PersonRequest PlayedAs Scripted ScriptedPerson StoreContractOptions StoreUnderTest TestInbox TestInboxOptions TestPerson TestVote`,
  },
};

interface Exported {
  readonly name: string;
  readonly isType: boolean;
  /** The module it comes from: a path of this repository, or another package's entry. */
  readonly from: string;
}

/** The source of an entry, as its package.json says. */
function sourceOf(entry: string): string {
  const [, folder, ...rest] = entry.split('/');
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', folder!, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  const built = exports[rest.length === 0 ? '.' : `./${rest.join('/')}`]!.default;
  return join(root, placeOf(`packages/${folder}`, built));
}

/** The names an entry exports; an entry lists names and does nothing else. */
function exportsOf(entry: string): readonly Exported[] {
  const file = sourceOf(entry);
  const text = readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
  const statement = /export (type )?\{([^}]*)\} from '([^']+)';/g;
  expect(text.replace(statement, '').trim()).toBe('');
  return [...text.matchAll(statement)].flatMap(([, type, names, target]) => {
    const from = target!.startsWith('.') ? resolve(dirname(file), target!).slice(root.length) : target!;
    return names!
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '')
      .map(name => ({
        name: name.replace(/^type /, ''),
        isType: type !== undefined || name.startsWith('type '),
        from,
      }));
  });
}

const sorted = (names: readonly string[]): readonly string[] =>
  [...names].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en'));

/** What tells an outsider of a name: documents and examples. `@midcall/core` is for the other packages, so theirs count there. */
function readers(entry: string): string {
  const siblings = ['server', 'host', 'testing', 'inbox', 'midcall'].map(name => `packages/${name}/src`);
  const files = ['docs', 'examples', ...(entry.startsWith('@midcall/core') ? siblings : [])].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => /\.(md|ts|mjs)$/.test(path) && !path.includes('node_modules'))
      .map(path => join(root, folder, path)),
  );
  const read = (file: string): string => {
    const text = readFileSync(file, 'utf8');
    // Of code, what is imported from the entry; of documents, what is in backticks or code.
    if (!file.endsWith('.md')) return importedFrom(text, entry);
    return [...text.matchAll(/`+[^`]+`+/g)].map(([code]) => code).join('\n');
  };
  return [...files, join(root, 'README.md'), join(root, 'SECURITY.md')].map(read).join('\n');
}

const importedFrom = (text: string, entry: string): string =>
  [...text.matchAll(/import (?:type )?\{([^}]*)\} from '([^']+)'/g)]
    .filter(([, , target]) => target === entry)
    .map(([, names]) => names)
    .join('\n');

describe.each(Object.entries(publicNames))('%s', (entry, { values, types }) => {
  it('an entry exports these names and no others', () => {
    const found = exportsOf(entry);
    const list = (isType: boolean) => sorted(found.filter(each => each.isType === isType).map(({ name }) => name));
    expect(list(false)).toEqual(sorted(values.trim().split(/\s+/)));
    expect(list(true)).toEqual(sorted(types.trim().split(/\s+/)));
  });

  it('an entry exports no value that no document, example or, for the core, other package uses', () => {
    const text = readers(entry);
    const unused = exportsOf(entry).filter(({ name, isType }) => !isType && !new RegExp(`\\b${name}\\b`).test(text));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });
});

it('no name stands for two things', () => {
  const all = Object.keys(publicNames).flatMap(entry => exportsOf(entry).map(each => ({ ...each, entry })));
  const origin = ({ name, from }: Exported): string => (from === '@midcall/host' ? hostOrigin(name) : from);
  const hostOrigin = (name: string): string => exportsOf('@midcall/host').find(each => each.name === name)!.from;
  const origins = new Map<string, Set<string>>();
  for (const each of all) origins.set(each.name, (origins.get(each.name) ?? new Set()).add(origin(each)));
  expect([...origins].filter(([, from]) => from.size > 1).map(([name]) => name)).toEqual([]);
});
