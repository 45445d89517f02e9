import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

const Anchor = (props: Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps> & ButtonProps) => (
  <Button component="a" {...props} />
);

/** A button that leads to another screen. */
export const LinkButton = createLink(Anchor);
