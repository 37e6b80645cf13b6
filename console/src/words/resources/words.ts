// What the pages about an account's own things say. Loaded with the first of them, not with the shell.
import { useLanguage } from '../words.tsx';
import { resources as en } from './en.ts';
import { resources as fr } from './fr.ts';

const languages = { en, fr };

export const useResourceWords = () => languages[useLanguage().language];
