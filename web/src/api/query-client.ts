import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Whether a refusal is about the call itself, so that a repetition changes nothing. */
const isFinal = (error: unknown) => error instanceof ApiError && error.status < 500 && error.status !== 429;

/** Keeps what was read. A failed read is repeated twice; a write never by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && !isFinal(error),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
