import { useWords } from '../words/words.tsx';
import { type Field, fieldName, useFields } from './fields.ts';

/** A name as guesses of imports compare it: without accents, case and signs. */
const compared = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase() || name.trim();

/** Warns before a field gets the name of another one. @param id the field that is renamed; undefined for a new one */
export function SameName({ name, id }: { readonly name: string; readonly id?: number | undefined }) {
  const { words } = useWords();
  const fields = useFields().data ?? [];
  const isAlike = (other: string) => compared(other) === compared(name);
  const isSame = (field: Field) =>
    field.id !== id && (isAlike(field.name) || isAlike(fieldName(words, field)));
  const same = name.trim() === '' ? undefined : fields.find(isSame);
  return (
    <div role="status">
      {same && (
        <p className="note amber anywhere">{words.fields.sameName(fieldName(words, same), same.id)}</p>
      )}
    </div>
  );
}
