/**
 * Which alphabets a host name mixes, by the Unicode scripts of its letters (UTS #39, section 5): each label is written in one
 * script, or in scripts that belong together in ordinary writing. Pure.
 */

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
