import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { hasPasskeys } from './passkeys.ts';

const methodsQuery = {
  queryKey: ['sign-in-methods'],
  queryFn: () => dataOf(api.GET('/v1/session/methods', {})),
  staleTime: Number.POSITIVE_INFINITY,
};

interface SignInMethods {
  readonly isKnown: boolean;
  readonly passkeys: boolean;
  readonly provider: string | undefined;
  /** Whether the service can send a link for a new password. */
  readonly passwordLinks: boolean;
}

/** The ways to sign in beside the password, as far as service and browser have them. */
export function useSignInMethods(): SignInMethods {
  const { data } = useQuery(methodsQuery);
  return {
    isKnown: data !== undefined,
    passkeys: data?.passkeys === true && hasPasskeys(),
    provider: data?.provider?.name,
    passwordLinks: data?.passwordLinks === true,
  };
}
