import { useWords } from '../words/words.tsx';

/** Says that changes of an earlier visit are shown, and discards them. */
export function DraftNote({ discard }: { readonly discard: () => void }) {
  const { shell } = useWords().words;
  return (
    <div className="note ink" role="status">
      <span className="grow">{shell.restored}</span>
      <button type="button" className="link" onClick={discard}>
        {shell.discard}
      </button>
    </div>
  );
}
