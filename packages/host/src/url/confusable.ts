/**
 * What makes a host name look like another one (UTS #39). Pure.
 *
 * Letters that pass for Latin ones are replaced by these, so that names can be compared by their appearance. Of the characters
 * that Unicode calls confusable, these are the letters that a host name may have, in scripts in which whole words can be written.
 *
 * A name is also suspect if it mixes alphabets (section 5): each label is written in one script, or in scripts that belong together
 * in ordinary writing.
 */

/** Letters that are drawn like a Latin letter, and which one. */
// biome-ignore format: a table reads better in rows.
const twins: Readonly<Record<string, string>> = {
  // Cyrillic
  а: 'a', с: 'c', ԁ: 'd', е: 'e', ҽ: 'e', һ: 'h', і: 'i', ї: 'i', ꙇ: 'i', ј: 'j', ӏ: 'l', о: 'o', ө: 'o', ѳ: 'o', р: 'p',
  ԛ: 'q', г: 'r', ѕ: 's', у: 'y', ү: 'y', ѵ: 'v', ѡ: 'w', ԝ: 'w', х: 'x', ь: 'b', ѣ: 'b', ӕ: 'ae', ғ: 'r', ћ: 'h', ұ: 'y',
  // Greek
  α: 'a', γ: 'y', ι: 'i', ϳ: 'j', κ: 'k', ν: 'v', ο: 'o', σ: 'o', θ: 'o', ρ: 'p', υ: 'u', χ: 'x', ω: 'w',
  // Armenian
  ց: 'g', հ: 'h', ո: 'n', ռ: 'n', օ: 'o', գ: 'q', զ: 'q', ս: 'u', ա: 'w', ք: 'f',
  // Georgian
  ჿ: 'o', ყ: 'y',
  // Cherokee
  Ꭺ: 'a', Ᏼ: 'b', Ꮟ: 'b', Ꮯ: 'c', Ꭰ: 'd', Ꮷ: 'd', Ꭼ: 'e', Ꮐ: 'g', Ᏻ: 'g', Ꮋ: 'h', Ꮒ: 'h', Ᏺ: 'h', Ꭵ: 'i', Ꭻ: 'j', Ꮶ: 'k',
  Ꮮ: 'l', Ꮇ: 'm', Ꮎ: 'o', Ꮻ: 'o', Ꮲ: 'p', Ꭱ: 'r', Ꮢ: 'r', Ꮥ: 's', Ꮪ: 's', Ꭲ: 't', Ꮜ: 'u', Ꮩ: 'v', Ꮃ: 'w', Ꮤ: 'w', Ꭹ: 'y',
  Ꮍ: 'y', Ꮓ: 'z',
  // Lisu
  ꓮ: 'a', ꓐ: 'b', ꓚ: 'c', ꓓ: 'd', ꓒ: 'd', ꓰ: 'e', ꓝ: 'f', ꓖ: 'g', ꓧ: 'h', ꓲ: 'i', ꓙ: 'j', ꓗ: 'k', ꓡ: 'l', ꓟ: 'm', ꓠ: 'n', ꓳ: 'o',
  ꓑ: 'p', ꓣ: 'r', ꓢ: 's', ꓔ: 't', ꓴ: 'u', ꓦ: 'v', ꓪ: 'w', ꓫ: 'x', ꓬ: 'y', ꓜ: 'z',
  // Canadian Aboriginal
  ᗅ: 'a', ᑲ: 'b', ᖯ: 'b', ᗷ: 'b', ᑯ: 'd', ᗞ: 'd', ᗪ: 'd', ᖴ: 'f', ᕼ: 'h', ᒍ: 'j', ᒪ: 'l', ᗰ: 'm', ᑭ: 'p', ᖇ: 'r', ᑌ: 'u', ᐯ: 'v',
  ᕁ: 'x', ᕽ: 'x', '᙭': 'x',
  // Coptic, Tifinagh, Deseret
  ⲥ: 'c', ⲟ: 'o', ⲣ: 'p', ⲅ: 'r', ⴹ: 'e', ⵏ: 'l', ⵔ: 'o', ⴱ: 'o', ⵕ: 'q', ⴸ: 'v', ⵝ: 'x', 𐐽: 'c', 𐐬: 'o', 𐑈: 's',
};

/** Close enough to a letter from a to z to be read as one in a name that is known. */
// biome-ignore format: a table reads better in rows.
const near: Readonly<Record<string, string>> = {
  // Cyrillic and Greek that look like small capitals, or nearly so
  в: 'b', к: 'k', м: 'm', н: 'h', п: 'n', т: 't', β: 'b', ε: 'e', η: 'n', τ: 't',
  // Latin letters beyond a to z with the shape of one of them
  ɑ: 'a', ɓ: 'b', ƀ: 'b', ᴄ: 'c', ȼ: 'c', đ: 'd', ɖ: 'd', ɗ: 'd', ɇ: 'e', ƒ: 'f', ɡ: 'g', ɠ: 'g', ǥ: 'g', ɢ: 'g', ħ: 'h', ɦ: 'h', ʜ: 'h',
  ı: 'i', ɩ: 'i', ɪ: 'i', ɨ: 'i', ɉ: 'j', ƙ: 'k', ĸ: 'k', ł: 'l', ɫ: 'l', ƚ: 'l', ɭ: 'l', ʟ: 'l', ǀ: 'l', ɱ: 'm', ƞ: 'n', ɲ: 'n', ɳ: 'n',
  ŋ: 'n', ɴ: 'n', ø: 'o', ɵ: 'o', ᴏ: 'o', ƥ: 'p', ʠ: 'q', ɍ: 'r', ɽ: 'r', ʀ: 'r', ꜱ: 's', ʂ: 's', ƽ: 's', ŧ: 't', ƭ: 't', ᴛ: 't', ᴜ: 'u',
  ʋ: 'v', ᴠ: 'v', ᴡ: 'w', ɯ: 'w', ɣ: 'y', ʏ: 'y', ƴ: 'y', ɏ: 'y', ƶ: 'z', ȥ: 'z', ᴢ: 'z', ß: 'ss', æ: 'ae', œ: 'oe',
  // Digits
  '0': 'o', '1': 'l', '3': 'e', '5': 's', '8': 'b',
};

const withoutMarks = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');
/** Puts a text in lower case; Cherokee stays as host names have it. */
const lower = (text: string): string => text.replace(/[^\p{Script=Cherokee}]/gu, each => each.toLowerCase());
const twin = (letter: string): string | undefined => (Object.hasOwn(twins, letter) ? twins[letter] : undefined);

/** A name reduced to its appearance: two names with the same skeleton can be mistaken for each other. */
export function skeleton(name: string): string {
  const letters = [...withoutMarks(lower(name))].map(each => twin(each) ?? near[each] ?? each);
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w').replaceAll('cl', 'd').replaceAll('i', 'l');
}

/**
 * What a label of a host name reads as, where each letter of it is of another script and drawn like a Latin one.
 * @returns undefined if it has Latin letters, letters that look like none, or no letters
 */
export function latinReading(label: string): string | undefined {
  const letters = [...withoutMarks(lower(label))];
  if (!letters.some(each => /\p{L}/u.test(each))) return undefined;
  const read = letters.map(each => (/[\d-]/.test(each) ? each : twin(each)));
  return read.every(each => each !== undefined) ? read.join('') : undefined;
}

/** Scripts in use today (UAX #31, tables 5 and 7), and those with letters that resemble Latin ones. */
const scripts = [
  ...['Arabic', 'Armenian', 'Bengali', 'Bopomofo', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek'],
  ...['Gujarati', 'Gurmukhi', 'Hangul', 'Han', 'Hebrew', 'Hiragana', 'Kannada', 'Katakana', 'Khmer', 'Lao', 'Latin'],
  ...['Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
  ...['Adlam', 'Balinese', 'Bamum', 'Batak', 'Canadian_Aboriginal', 'Chakma', 'Cham', 'Cherokee', 'Coptic', 'Deseret'],
  ...['Javanese', 'Kayah_Li', 'Lepcha', 'Limbu', 'Lisu', 'Mandaic', 'Meetei_Mayek', 'Mongolian', 'New_Tai_Lue', 'Nko'],
  ...['Ol_Chiki', 'Old_Italic', 'Osage', 'Runic', 'Saurashtra', 'Sundanese', 'Syloti_Nagri', 'Syriac', 'Tai_Le'],
  ...['Tai_Tham', 'Tai_Viet', 'Tifinagh', 'Vai', 'Warang_Citi', 'Yi'],
];

/** Scripts that are mixed in Japanese, Chinese and Korean, where Latin words are ordinary too. */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const any = (names: readonly string[]): string => names.map(name => `\\p{Script_Extensions=${name}}`).join('');
const shared = any(['Common', 'Inherited']);

let writings: readonly RegExp[] | undefined;

/** One pattern for each way of writing. They are built when the first name is judged, since that takes as long as loading a library. */
function eachWriting(): readonly RegExp[] {
  writings ??= [
    ...[...scripts.map(script => [script]), ...together].map(names => new RegExp(`^[${any(names)}${shared}]*$`, 'u')),
    new RegExp(`^[^${any(scripts)}]*$`, 'u'),
  ];
  return writings;
}

/** True if one label of a host name, in readable form, mixes alphabets that no one writes together. */
export function mixedScripts(host: string): boolean {
  return host.split('.').some(label => !eachWriting().some(writing => writing.test(label)));
}
