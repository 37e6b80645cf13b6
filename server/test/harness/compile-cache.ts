// Loaded into every test process: what one of them compiled the others need not compile again, and sources are found as the command
// line finds them.
import { enableCompileCache } from 'node:module';
import '../../bin/own-sources.js';

enableCompileCache();
