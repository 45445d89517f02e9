import { useNavigate, useRouter } from '@tanstack/react-router';

/** Returns a function that shows the page which a user was going to before they signed in. */
export function useGoOn(): (to: string | undefined) => void {
  const router = useRouter();
  const navigate = useNavigate();
  return (to) => {
    // Only addresses of the console itself: they start with one slash.
    if (to && /^\/(?!\/)/.test(to)) router.history.replace(`${router.basepath}${to}`);
    else void navigate({ to: '/', replace: true });
  };
}
