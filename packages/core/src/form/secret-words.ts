/** The words that `secret-in.ts` looks for. Lower case, without accents; see there for how they are used. */

/** What kind of secret a field asks for. */
export type SecretKind = 'password' | 'key' | 'token' | 'code' | 'payment';

/** Words in a row that name a secret. */
export interface SecretPhrase {
  readonly kind: SecretKind;
  readonly words: readonly string[];
  /** True if another noun behind it changes what is meant: `secret santa`, `pin note`. */
  readonly alone?: boolean;
  /** Words before it that change what is meant: `page token`, `map pin`. */
  readonly notAfter?: readonly string[];
}

const lists: Readonly<Record<SecretKind, string>> = {
  password: `password|passwords|passwd|passwort|kennwort|pwd|passphrase|pass phrase|pass word|passcode|pass code|
    contrasena|mot de passe|motdepasse|senha|wachtwoord|haslo|losenord|adgangskode|passord|salasana|sifre|parola d ordine|
    пароль|пароля|credentials|login credential|credential|zugangsdaten|seed phrase|recovery phrase|mnemonic phrase|
    wallet seed|mnemonic|secret word|secret phrase|secret answer|security answer|master pass`,
  key: `api key|apikey|api keys|api secret|secret key|secretkey|private key|privatekey|access key|accesskey|signing key|
    encryption key|decryption key|master key|auth key|authentication key|shared key|service account key|account key|
    webhook secret|app secret|client secret|clientsecret|shared secret|application secret|consumer secret|totp secret|
    openai key|anthropic key|stripe key|aws key|azure key|github key|sendgrid key|twilio key|slack key|gemini key|
    api schlussel|apischlussel|schlussel api|privater schlussel|cle api|cle d api|cle privee|cle secrete|clave api|
    clave de api|clave privada|clave secreta|chave api|chave de api|chave privada|chave secreta|chiave api|chiave privata|
    api sleutel|klucz api|ключ api|api ключ|clave de acceso|clave de acceso`,
  token: `access token|accesstoken|access tokens|api token|auth token|authtoken|authentication token|authorization token|
    bearer|bearer token|refresh token|refreshtoken|id token|session token|security token|personal access token|
    oauth token|jwt|json web token|bot token|login token|deploy token|app token|user token|github token|gitlab token|
    slack token|zugriffstoken|zugangstoken|jeton d acces|jeton d authentification|token de acceso|token de acesso|
    token di accesso|toegangstoken|токен доступа|session cookie|auth cookie|session id cookie`,
  code: `otp|totp|one time code|one time password|one time passcode|one time pin|onetime code|verification code|
    authentication code|authenticator code|auth code|authorization code|login code|sign in code|security code|mfa code|
    mfa token|2 fa code|2 fa|2 fa token|two factor code|second factor|sms code|texted code|recovery code|recovery codes|
    backup code|backup codes|access code|pin code|pin number|personal identification number|card pin|atm pin|
    account pin|security pin|bank pin|sim pin|einmalpasswort|einmalcode|bestatigungscode|sicherheitscode|
    code de verification|code de securite|code secret|codigo de verificacion|codigo de seguridad|codigo de acceso|
    codigo de verificacao|codice di verifica|verificatiecode|код подтверждения|smscode|tan nummer`,
  payment: `card number|cardnumber|card no|card num|credit card|creditcard|debit card|debitcard|payment card|
    bank card|cc number|cc num|ccnum|ccnumber|credit card number|card details|card data|cvv|cvv 2|cvc|cvc 2|cvn|csc code|
    card security|card verification|card code|card expiry|card expiration|kreditkarte|kreditkartennummer|kartennummer|
    prufziffer|numero de carte|numero de la carte|carte bancaire|carte de credit|numero de tarjeta|tarjeta de credito|
    numero do cartao|cartao de credito|numero di carta|carta di credito|creditcardnummer|numer karty|номер карты|
    bank account number|bank routing number|routing number|bank credentials|bank login|payment credentials`,
};

const alone: readonly SecretPhrase[] = [
  { kind: 'password', words: ['secret'], alone: true },
  { kind: 'password', words: ['secrets'], alone: true },
  { kind: 'password', words: ['geheimnis'], alone: true },
  {
    kind: 'token',
    words: ['token'],
    notAfter:
      'page next previous prev continuation sync pagination cursor design css color colour word reward governance nft erc20 erc max min num number per total count input output prompt completion context cancellation cancel stop eos bos first last end start special reserved csrf idempotency delimiter separator lexer parser syntax utility meme game lp native wrapped'.split(
        ' ',
      ),
  },
  {
    kind: 'code',
    words: ['pin'],
    alone: true,
    notAfter:
      'map location drop push pull gpio bowling rolling hair lapel board output input clock data safety hat unpin'.split(
        ' ',
      ),
  },
];

const byFirst = new Map<string, SecretPhrase[]>();
const add = (phrase: SecretPhrase): void => {
  const first = phrase.words[0]!;
  byFirst.set(first, [...(byFirst.get(first) ?? []), phrase]);
};
for (const [kind, list] of Object.entries(lists) as [SecretKind, string][]) {
  for (const phrase of list.split('|')) add({ kind, words: phrase.trim().split(/\s+/) });
}
for (const phrase of alone) add(phrase);

/** Every phrase, by its first word. */
export const secretPhrases: ReadonlyMap<string, readonly SecretPhrase[]> = byFirst;

/** Scripts written without spaces: found anywhere in a word. */
export const unspaced: readonly { readonly text: string; readonly kind: SecretKind }[] = [
  ...['密码', '密碼', '口令', 'パスワード', '暗証番号', '비밀번호'].map(text => ({ text, kind: 'password' as const })),
  ...['密钥', '金鑰', '私钥', '秘密鍵', 'apiキー', 'api키'].map(text => ({ text, kind: 'key' as const })),
  ...['访问令牌', '存取權杖', 'アクセストークン'].map(text => ({ text, kind: 'token' as const })),
  ...['验证码', '驗證碼', '認証コード', '인증번호'].map(text => ({ text, kind: 'code' as const })),
  ...['信用卡号', '信用卡號', '银行卡号', 'カード番号', '카드번호'].map(text => ({ text, kind: 'payment' as const })),
].map(({ text, kind }) => ({ text: text.normalize('NFKD').replace(/[\p{M}]/gu, ''), kind }));

const set = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Behind a secret's name: something about the secret is meant. */
export const aboutAfter = set(
  `count counts counter limit limits length size budget usage quota cost price amount supply balance symbol address name
  names label title alias nickname id ids identifier identifiers owner holder holders type types kind brand network issuer
  provider vendor scope scopes scheme format policy policies rule rules requirement requirements hint hints strength
  complexity manager managers generator vault store expiry expires expiration lifetime ttl validity age rotation rotated
  rotate created updated date reset change changed status state enabled disabled required optional shown visible hidden
  url uri link page endpoint location path file filename folder prefix suffix header parameter param field column variable
  env position index number_of last4 last reason note notes comment comments description text message question questions
  min max minimum maximum per protected protection free less based ring stream window windows santa bucket budget
  algorithm version region permission permissions role roles allowed reward rewards display art design issue art quantity
  reader terminal payment payments statement program offer bin`,
);

/** Before a secret's name: something about secrets is meant, or something that only sounds like one. */
export const aboutBefore = set('public max min maximum minimum num total count has no without number');

export const preposition = set(
  'of for from with without to in on by at as than von fur aus mit zu de du des pour avec para con per di da van voor dla для от',
);

/** Words that ask for what follows them. */
export const asking = set(
  `enter type paste provide give supply input insert fill put write tell send your my please
  gib eingeben dein deine ihr ihre votre ton ta entrez saisissez tu su introduce ingresa escribe sua seu digite informe
  inserisci tuo tua uw je jouw voer podaj twoje введите ваш`,
);

export const negation = set('never not don dont no nie nicht kein keine niemals ne pas jamais nunca non не without');
