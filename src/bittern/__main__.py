from bittern.cli import main

main()
