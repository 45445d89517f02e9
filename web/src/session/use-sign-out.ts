import { useNavigate } from '@tanstack/react-router';
import { useRefusal } from '../api/use-refusal.ts';
import { toast } from '../shell/toasts.tsx';
import { signOut } from './session.tsx';

/** Signs the user out and shows the sign-in screen. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  const refusal = useRefusal();
  return () => {
    void signOut().then(
      () => navigate({ to: '/sign-in', search: {} }),
      (error: unknown) => toast({ text: refusal(error) }),
    );
  };
}
