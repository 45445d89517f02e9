/** A cell's value in COPY's text format. */
export type CopyValue = string | number | boolean | Date | null;

const special = /[\\\t\n\r]/;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A row in PostgreSQL's text format of COPY, with its line end. */
export function copyLine(values: readonly CopyValue[]): string {
  let line = '';
  for (let i = 0; i < values.length; i++)
    line += i === 0 ? copyValue(values[i]!) : `\t${copyValue(values[i]!)}`;
  return `${line}\n`;
}

function copyValue(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') {
    return special.test(value) ? value.replaceAll(/[\\\t\n\r]/g, (char) => escapes[char]!) : value;
  }
  return value instanceof Date ? value.toISOString() : String(value);
}
