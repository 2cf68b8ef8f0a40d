import { form, refuseSecretMessage, secretIn } from '@midcall/core/form';
import { describe, expect, it, vi } from 'vitest';
import { negation, preposition } from '../../packages/core/src/form/secret-words.ts';

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

const secretNames = lines(`
  password
  Password
  passwd
  pwd
  passphrase
  passcode
  user_password
  userPassword
  newPassword
  confirm_password
  password_confirmation
  password2
  PASSWORD
  DB_PASSWORD
  database-password
  pass_word
  api_key
  apiKey
  APIKey
  apikey
  API_KEY
  openai_api_key
  openaiKey
  stripe_secret_key
  secret
  clientSecret
  client_secret
  app_secret
  webhook_secret
  sharedSecret
  secret_value_of_app_secret
  private_key
  privateKeyPem
  ssh_private_key
  signing_key
  encryption_key
  access_key
  aws_secret_access_key
  access_token
  accessToken
  refresh_token
  idToken
  session_token
  auth_token
  authToken
  bearer
  bearer_token
  github_token
  githubToken
  token
  bot_token
  personalAccessToken
  jwt
  credentials
  login_credential
  otp
  otp_code
  totp
  one_time_code
  oneTimePassword
  verification_code
  verificationCode
  mfa_code
  mfaToken
  2fa_code
  twoFactorCode
  auth_code
  authorizationCode
  security_code
  access_code
  recovery_code
  backup_codes
  sms_code
  pin
  PIN
  pin_code
  card_pin
  atmPin
  your_pin
  card_number
  cardNumber
  credit_card
  creditCardNumber
  debit_card_number
  cc_number
  ccnum
  cvv
  CVV2
  cvc
  card_security_code
  card_verification_value
  routing_number
  bank_account_number
  seed_phrase
  seedPhrase
  recovery_phrase
  mnemonic
  security_answer
  secret_answer
  mot_de_passe
  motDePasse
  contraseña
  senha
  Passwort
  kennwort
  wachtwoord
  hasło
  пароль
  şifre
  clé_api
  clave_api
  kreditkartennummer
  numero_de_tarjeta
  密码
  用户密码
  パスワード
  비밀번호
  信用卡号
  pass\u200bword
  cv\u200bv
  j\u200dwt
  tok\u00aden
  se\u2060cret
  se\u{e0061}cret
  se\u034fcret
  se\u3164cret
  se\u115fcret
  se\u2065cret
  tok\u0301en
  ｐａｓｓｗｏｒｄ
  API_SCHLÜSSEL
  api_schlüßel
  şıfre
  OTPInput
  secret_for_the_webhook
  secret_2
`);

const plainNames = lines(`
  username
  user_name
  email
  name
  token_count
  tokenCount
  max_tokens
  maxTokens
  tokens
  num_tokens
  total_tokens
  token_limit
  token_budget
  token_symbol
  token_address
  token_name
  token_id
  page_token
  nextPageToken
  next_token
  continuation_token
  sync_token
  stop_token
  design_token
  tokenizer
  password_hint_shown
  has_password
  total_access_tokens
  password_hint
  password_policy
  password_length
  password_manager
  min_password_length
  password_expiry
  keyboard
  keyword
  key
  primary_key
  public_key
  ssh_public_key
  sort_key
  issue_key
  key_name
  api_key_name
  api_key_id
  access_key_id
  apiKeyLabel
  author
  authority
  authentic
  authorization_type
  secretary
  secretariat
  secret_santa
  secret_santa_name
  secret_ingredient
  secret_name
  passenger
  passengers
  passport_country
  pass
  passage
  password_reset_email_subject_shown
  compass
  bypass
  pin_note
  pinned
  pinNote
  pin_color
  map_pin
  location_pin
  pins
  spinner
  pineapple
  card
  card_title
  cardTitle
  card_description
  card_type
  credit_card_type
  business_card
  greeting_card
  card_holder
  last4
  account_id
  account
  account_number
  account_name
  payment_method
  amount
  iban_country
  zip_code
  postal_code
  country_code
  promo_code
  error_code
  code
  code_of_conduct
  source_code
  status_code
  language_code
  confirmation_code_of_booking
  booking_code
  cvs
  otptions
  optional
  jwtless
  session
  session_id
  signature
  hash
  security_level
  security_question
  access_level
  verification_method
  token_type
  token_expires
  recovery_email
  backup_folder
  seed
  random_seed
  phrase
  search_phrase
  title
  notes
  tags
  bearing
  credential_id
  credential_type
  单词
`);

const secretTitles = lines(`
  Password
  Your password
  New password (again)
  API key
  Your OpenAI API key
  API-Key
  GitHub token
  Access token for the calendar
  Log in with your password
  Card number
  Credit card
  CVV
  PIN
  PIN:
  6-digit verification code
  One-time code
  Mot de passe
  Clé d'API
  Code de vérification
  Ihr Passwort
  API-Schlüssel
  Número de tarjeta
  Tarjeta de crédito
  Numéro de carte
  Contraseña nueva
  Номер карты
  请输入密码
  Secret
  Client secret
  Private key (PEM)
`);

const plainTitles = lines(`
  User name
  Name of the API key
  Number of tokens
  Maximum tokens
  Token count
  Password policy
  Length of the password
  API key label
  Public key
  Card title
  Pin this note
  Secret Santa
  Keyboard layout
  Account ID
  Email address
  Zip code
  Title of the card
  Author of the book
  Passport issuing country
  No password needed
`);

const secretDescriptions = lines(`
  Enter your password.
  Enter the password of your account
  Paste your GitHub token here.
  Your OpenAI API key
  The API key for the weather service.
  Please provide your credit card number
  Used once. Enter the code: type your PIN.
  Type the verification code we sent you
  Gib dein Passwort ein
  Entrez votre mot de passe
  Introduce tu contraseña
  We need this to log in; enter your access token
  Enter your password, not your user name
  Your API key and never anybody else's
  Type your PIN without blanks
  Not shared with anybody. Enter your password
  Enter the ${'very '.repeat(4)}secret key
`);

const plainDescriptions = lines(`
  Your full name
  Your account ID to debit (format: ACC-XXXXXXXX)
  Never enter a password here.
  Do not paste your API key.
  The name of the API key to rotate
  How many tokens the model may write
  Limits the number of output tokens.
  Where the password reset link is sent
  The e-mail address for messages about your account
  A page that explains how the server keeps passwords
  The title of the card
  Which note to pin
  Recipient name or email
  The language of the keyboard
  A short phrase to search for
  Label for the token, shown in your settings
  Folder for files protected by a password
  Your favorite integer (do not give us your phone number, pin, or other sensitive info)
  Your email address (will be verified, and never shared with anyone else)
  Do not enter your password
  Works with a password, too
  Please never send us a PIN, card number or any other secret
  Enter the date on which somebody else of your team had last told us of a password
  Folder that lies beside the one of the password
`);

describe('elicit-form-01: names that ask for a secret', () => {
  it.each(secretNames)('the name “%s” asks for a secret', name =>
    expect(secretIn({ name })).toMatchObject({ where: 'name' }),
  );
});
describe('elicit-form-02: names that do not ask for a secret', () => {
  it.each(plainNames)('the name “%s” asks for no secret', name => expect(secretIn({ name })).toBeUndefined());
});
describe('elicit-form-01: titles that ask for a secret', () => {
  it.each(secretTitles)('the title “%s” asks for a secret', title =>
    expect(secretIn({ name: 'value', title })).toMatchObject({ where: 'title' }),
  );
});
describe('elicit-form-02: titles that do not ask for a secret', () => {
  it.each(plainTitles)('the title “%s” asks for no secret', title =>
    expect(secretIn({ name: 'value', title })).toBeUndefined(),
  );
});
describe('elicit-form-01: descriptions that ask for a secret', () => {
  it.each(secretDescriptions)('the description “%s” asks for a secret', description =>
    expect(secretIn({ name: 'value', description })).toMatchObject({ where: 'description' }),
  );
});
describe('elicit-form-02: descriptions that do not ask for a secret', () => {
  it.each(plainDescriptions)('the description “%s” asks for no secret', description =>
    expect(secretIn({ name: 'value', description })).toBeUndefined(),
  );
});

describe('messages', () => {
  it.each([
    'Enter your API key',
    'Your password?',
    'To go on, type your PIN.',
    'What is the verification code we sent you? Please type the verification code',
    'Enter your password, not your user name',
    'Enter your c\u200bv\u200bv',
  ])('the message “%s” is refused where the one question has no words of its own', message => {
    expect(() => refuseSecretMessage(message, form(String).fields)).toThrow(
      expect.objectContaining({ code: 'form/secret', message: expect.stringContaining('its message says') }),
    );
    for (const other of [
      Boolean,
      ['a', 'b'],
      { type: 'string', title: 'Reason' },
      { type: 'string', description: 'Why you ask' },
      { note: String, reason: String },
    ] as const) {
      refuseSecretMessage(message, form(other).fields);
    }
  });

  it.each([
    'Pick a color',
    'Which note shall be pinned?',
    'Never type a password here. Name?',
    'Rename the API key label to?',
    'Do not tell us your PIN. Name?',
    'We changed the way in which a password is stored. Name?',
  ])('the message “%s” asks for no secret', message => refuseSecretMessage(message, form(String).fields));
});

describe('the one question of a form', () => {
  it('the one question of a form is judged with its message where it takes a number, too, and not where it is picked', () => {
    for (const field of [{ type: 'integer' }, { type: 'number' }] as const)
      expect(() => refuseSecretMessage('Type your PIN', form(field).fields)).toThrow('asks for a secret');
    for (const field of [{ type: 'boolean' }, { type: 'string', enum: ['a', 'b'] }] as const)
      refuseSecretMessage('Type your PIN', form(field).fields);
    refuseSecretMessage('Type your PIN', []);
  });

  it('the one question of a form is judged by its first 20,000 characters, and by every sentence of them', () => {
    const long = `${'We keep your notes. '.repeat(900)}Enter your password.`;
    expect(long.length).toBeGreaterThan(18_000);
    expect(() => refuseSecretMessage(long, form(String).fields)).toThrow('asks for a secret');
  });
});

describe('what kind of field it is', () => {
  it('elicit-form-02: only free text and numbers can carry a secret', () => {
    expect(secretIn({ name: 'password', kind: 'text' })).toBeDefined();
    expect(secretIn({ name: 'pin', kind: 'number' })).toBeDefined();
    expect(secretIn({ name: 'password', kind: 'boolean' })).toBeUndefined();
    expect(secretIn({ name: 'api_key', kind: 'select' })).toBeUndefined();
    expect(secretIn({ name: 'tokens', kind: 'multi-select' })).toBeUndefined();
  });

  it.each([
    ['password', 'password'],
    ['api_key', 'key'],
    ['access_token', 'token'],
    ['otp', 'code'],
    ['card_number', 'payment'],
  ])('elicit-form-02: the name %s asks for a secret of the kind %s', (name, kind) =>
    expect(secretIn({ name })?.kind).toBe(kind),
  );

  it('elicit-form-02: a description of a megabyte is searched at once', () => {
    for (const words of ['the name of the ', 'no password ', 'name of token ']) {
      expect(secretIn({ name: 'a', description: words.repeat(80_000) })).toBeUndefined();
    }
  });

  it('each word is looked at a fixed number of times, however many secrets stand beside each other', () => {
    const looks = [vi.spyOn(negation as Set<string>, 'has'), vi.spyOn(preposition as Set<string>, 'has')];
    const words = 4_000;
    expect(secretIn({ name: 'a', description: `not ${'otp '.repeat(words)}` })).toBeUndefined();
    expect(looks.reduce((sum, look) => sum + look.mock.calls.length, 0)).toBeLessThan(10 * words);
    vi.restoreAllMocks();
  });
});
