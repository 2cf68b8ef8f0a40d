/** Whether a value is the number of a payment card, whatever the field is called. Pure. */

/** 13 to 19 digits, possibly in groups, that begin like the card networks' numbers. */
const shape = /^(?:3[0-9]|4|5[0-9]|6[0-9]|2[2-7])[0-9]*$/;

/** @param value - the input; a number is read by its digits */
export function isCardNumber(value: unknown): boolean {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > 40) return false;
  const trimmed = text.trim();
  if (!/^[0-9]+(?:[ -][0-9]+)*$/.test(trimmed)) return false;
  const digits = trimmed.replace(/[ -]/g, '');
  return digits.length >= 13 && digits.length <= 19 && shape.test(digits) && hasCheckDigit(digits);
}

/** ISO/IEC 7812-1, annex B (Luhn). */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
