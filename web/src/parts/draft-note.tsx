import { useWords } from '../words/words.tsx';

/** Says that changes of an earlier visit are shown, and discards them. */
export function DraftNote({ discard }: { readonly discard: () => void }) {
  const { composer } = useWords().words;
  return (
    <div className="note ink" role="status">
      <span className="grow">{composer.restored}</span>
      <button type="button" className="link" onClick={discard}>
        {composer.discard}
      </button>
    </div>
  );
}
