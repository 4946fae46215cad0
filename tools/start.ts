// `npm start`: will run the operator on the embedded control plane. Until that exists it says so, and nothing else.

console.log(`Farrier does not run yet: the embedded control plane comes with a later version.

What is here now:
  npm test                 every check that this machine can run
  npm run ok               the quick ones, in under a minute
  npm run bench -- core    the speed of the core, beside the Go code it replaces`);
