/** How a number of a sheet is meant, by its cell's format. */
export type NumberKind = 'plain' | 'date' | 'time' | { readonly zeros: number };

/** The formats that have a number only, no code (ECMA-376 part 1, 18.8.30); those that are dates or times. */
export function kindOfBuiltIn(id: number): NumberKind {
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36) return 'date';
  if (id >= 50 && id <= 58) return 'date';
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47 ? 'time' : 'plain';
}

/** Returns the kind of a format's code: `dd/mm/yyyy` is a date; `00000` is five digits, for example a postcode. */
export function kindOfCode(code: string): NumberKind {
  // Signs may be in between, for example in a telephone number: 0#" "##" "##" "##" "##. From its first 0 on, all places
  // count.
  const places = code.replaceAll(/"[^"\w]*"|\\[^\w]|[ -]/g, '');
  if (/^0[0#]{1,31}$/.test(places)) return { zeros: places.length };
  // Lengths of time: [h]:mm can be more than a day.
  if (/\[(h+|m+|s+)\]/i.test(code)) return 'plain';
  // The first section is the one for positive numbers. Texts, colours, locales and spacing say nothing.
  const letters = code.replaceAll(/"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?/g, '').split(';', 1)[0] ?? '';
  if (/^general$/i.test(letters.trim())) return 'plain';
  const hasTime = /[hs]/i.test(letters);
  if (/[dy]/i.test(letters) || (/m/i.test(letters) && !hasTime)) return 'date';
  return hasTime ? 'time' : 'plain';
}

const dayMs = 86_400_000;
/** Day 0 of the two systems that a workbook can count by. */
const epochs = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const;
/** 31 December 9999, the last day that a sheet can show. */
const lastDay = 2_958_465;

/** A number's text, as its format means it. Dates are ISO 8601 without a zone; numbers are plain decimals. */
export function numberText(value: string, kind: NumberKind, has1904: boolean) {
  const plain = { text: decimal(value), isDate: false };
  if (kind === 'plain' || value === '') return plain;
  if (typeof kind === 'object') {
    return /^\d+$/.test(plain.text) ? { ...plain, text: plain.text.padStart(kind.zeros, '0') } : plain;
  }
  const serial = Number(value);
  if (!(serial >= 0 && serial < lastDay + 1)) return plain;
  // A time alone counts from day 0, which is no day.
  if (serial < 1 && (kind === 'time' || !has1904)) return { text: timeOf(serial), isDate: false };
  // Before March 1900 Excel counts a 29 February that there was not.
  const day = !has1904 && serial < 60 ? serial + 1 : serial;
  const at = epochs[has1904 ? 1904 : 1900] + Math.round(day * dayMs);
  const [date = '', time = ''] = new Date(at).toISOString().slice(0, -1).split('T');
  return { text: time === '00:00:00.000' ? date : `${date} ${withoutMs(time)}`, isDate: true };
}

function timeOf(serial: number): string {
  return withoutMs(new Date(Math.round(serial * dayMs)).toISOString().slice(11, -1));
}

const withoutMs = (time: string): string => time.replace(/\.000$/, '');

/** Formats a number as a sheet shows it, with 15 digits. A whole number keeps all: it may be a 64-bit identifier. */
function decimal(value: string): string {
  if (/^-?\d{1,19}$/.test(value)) return value;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  const short = Number(number.toPrecision(15));
  const text = String(short);
  if (!text.includes('e')) return text;
  return Math.abs(short) >= 1 ? BigInt(short).toString() : short.toFixed(20).replace(/\.?0+$/, '');
}
