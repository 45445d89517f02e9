import { usePartWords } from '../words/use-part-words.ts';

/** Says what limits a list besides the search. */
export function LimitedBy({ limit }: { readonly limit: string }) {
  const parts = usePartWords();
  return (
    <p className="small text-2 anywhere" style={{ marginBottom: 8 }}>
      {parts.limitedBy(limit)}
    </p>
  );
}
