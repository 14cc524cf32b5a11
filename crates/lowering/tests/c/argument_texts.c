//! see x
//! limit what the program is started with
int x;
int main(int argc, char **argv) { if (argc > 1 && argv[1][0] == '-') x = 1; return 0; }
