import { useRefusal } from '../api/use-refusal.ts';
import { toast } from '../shell/toasts.tsx';

/** Returns a function that runs an action of a row or menu. A refusal is said at the edge of the screen. */
export function useAct(): (action: () => Promise<void>) => void {
  const refusal = useRefusal();
  return (action) => {
    action().catch((failure: unknown) => toast({ text: refusal(failure), seconds: 10 }));
  };
}
