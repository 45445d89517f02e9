import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useMe, useSite } from '../session/session.tsx';
import { removableToast, toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';

/** Functions that remove the countdowns of imports, by the import. */
const countdowns = new Map<string, () => void>();

/** Cancels an import that has not started yet, and removes its countdown. */
export function useUndoImport(): (id: number, file: string) => Promise<void> {
  const { words } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  return async (id, file) => {
    const params = { path: { idsite: site.name, idImport: id } };
    await dataOf(api.DELETE('/v1/{idsite}/imports/{idImport}', { params }));
    countdowns.get(`${site.name} ${id}`)?.();
    toast({ text: words.imports.cancelledToast(file) });
    await queries.invalidateQueries({ queryKey: ['imports', site.name] });
  };
}

/** Counts down on every screen until an import starts, and offers to undo it. */
export function useImportCountdown(): (id: number, file: string) => void {
  const { words, format } = useWords();
  const site = useSite();
  const { settings } = useMe();
  const undo = useUndoImport();
  return (id, file) => {
    const key = `${site.name} ${id}`;
    const remove = removableToast({
      text: (seconds) => words.imports.countdown(file, format.length(seconds)),
      seconds: settings.importDelayInSeconds,
      undo: () => undo(id, file),
      onEnd: () => countdowns.delete(key),
    });
    countdowns.set(key, () => {
      countdowns.delete(key);
      remove();
    });
  };
}
