export const maxCellLength = 32_767;

/** Text as a cell shows it: `_x000D_` stands for a character that XML cannot hold. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The place of a cell's column, from 0: `B7` is 1. Undefined for what is no place of a sheet. */
export function columnOf(reference: string): number | undefined {
  let column = 0;
  let at = 0;
  for (; at < 4; at++) {
    const letter = reference.charCodeAt(at) - 64;
    if (!(letter >= 1 && letter <= 26)) break;
    column = column * 26 + letter;
  }
  return at > 0 && column <= maxColumns ? column - 1 : undefined;
}

/** Rows and columns of a sheet: Excel's own bounds. */
export const maxRows = 1_048_576;
export const maxColumns = 16_384;
